/** Options of citecheck from the settings: each setting that is an option of `citecheck lsp` has the name of its option. */

import * as vscode from "vscode";

const NOT_OPTIONS = ["pythonPath", "languages"];
const ONLY_OF_THE_SERVER = ["codeLens"];

/** The command line for `citecheck lsp`, or for `citecheck check`. */
export function commandLine(context: vscode.ExtensionContext, command: "lsp" | "check"): string[] {
  const manifest = context.extension.packageJSON as { contributes: { configuration: { properties: object } } };
  const settings = vscode.workspace.getConfiguration("citecheck");
  const left = command === "check" ? [...NOT_OPTIONS, ...ONLY_OF_THE_SERVER] : NOT_OPTIONS;
  return Object.keys(manifest.contributes.configuration.properties)
    .map((name) => name.replace(/^citecheck\./, ""))
    .filter((name) => !left.includes(name))
    .flatMap((name) => {
      const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      const value: unknown = settings.get(name);
      if (typeof value === "boolean") {
        return value ? [flag] : [];
      }
      const values: unknown[] = Array.isArray(value) ? value : [value];
      return values.filter((one) => one !== "" && one !== null && one !== undefined).map((one) => `${flag}=${String(one)}`);
    });
}
