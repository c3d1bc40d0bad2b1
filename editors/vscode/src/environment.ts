/** Finds a Python environment with citecheck, or makes one. */

import { execFile } from "node:child_process";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";

const run = promisify(execFile);
const OLDEST = "3.11.5";
const IS_RECENT = "import sys, venv; sys.exit(sys.version_info < (3, 11, 5))";

/** A command that starts citecheck. Arguments of citecheck come after its own. */
export interface Program {
  command: string;
  args: string[];
}

/** A program that works, or the reason why the best candidate does not. */
export type Found = { program: Program; reason?: undefined } | { program?: undefined; reason: string };

interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(of: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath(listener: () => void): vscode.Disposable;
  };
}

async function pythonExtension(): Promise<PythonApi["environments"] | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  return (await extension?.activate())?.environments;
}

/** Call the listener when the user selects another interpreter in the Python extension. */
export async function onDidSelectInterpreter(listener: () => void): Promise<vscode.Disposable> {
  const environments = await pythonExtension();
  return environments?.onDidChangeActiveEnvironmentPath(listener) ?? new vscode.Disposable(() => undefined);
}

async function selectedInterpreter(): Promise<string | undefined> {
  const environments = await pythonExtension();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = environments && (await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder)));
  return chosen?.executable.uri?.fsPath;
}

function ownFolder(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "environment");
}

function interpreterIn(folder: string): string {
  return process.platform === "win32" ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

// -P: a file of the open folder must not take the place of a module.
const moduleOf = (python: string): Program => ({ command: python, args: ["-P", "-m", "pytest_citecheck"] });

function configuredPython(): string {
  return vscode.workspace.getConfiguration("citecheck").get("pythonPath", "").trim();
}

/** Find the first program that can serve. A path in the settings is the only candidate if there is one. */
export async function findProgram(context: vscode.ExtensionContext): Promise<Found> {
  const configured = configuredPython();
  const selected = configured ? undefined : await selectedInterpreter();
  const candidates = configured
    ? [moduleOf(configured)]
    : [
        ...(selected ? [moduleOf(selected)] : []),
        moduleOf(interpreterIn(ownFolder(context))),
        { command: "pytest-citecheck", args: [] },
      ];
  let reason = "";
  for (const program of candidates) {
    const problem = await problemOf(program);
    if (problem === "") {
      return { program };
    }
    reason ||= problem;
  }
  return { reason };
}

/** The reason why a program cannot serve; empty if it can. Without input, a working server ends at once. */
async function problemOf({ command, args }: Program): Promise<string> {
  try {
    const served = run(command, [...args, "lsp", "--offline"], { timeout: 60_000 });
    served.child.stdin?.end();
    await served;
    return "";
  } catch (error) {
    const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string };
    const said = stderr?.trim().split("\n").at(-1) ?? "";
    return code === "ENOENT" ? `${command} was not found.` : said || message;
  }
}

/** Install citecheck into an environment of this extension, after asking. True if it works afterwards. */
export async function createEnvironment(
  context: vscode.ExtensionContext,
  log: vscode.OutputChannel,
): Promise<boolean> {
  const folder = ownFolder(context);
  const [checkout, wheel] = ["Choose the checkout …", "Choose the wheel …"];
  const detail =
    "citecheck has no release on a package index yet. Choose a checkout of its repository, or its wheel. " +
    `pip installs it, and downloads what it needs, into ${folder}. No other environment changes.`;
  const question = "Create a Python environment with citecheck?";
  const answer = await vscode.window.showInformationMessage(question, { modal: true, detail }, checkout, wheel);
  if (answer === undefined) {
    return false;
  }
  const source = await vscode.window.showOpenDialog({
    title: answer === checkout ? "The folder with pyproject.toml of citecheck" : "The wheel of citecheck",
    openLabel: "Install",
    canSelectFolders: answer === checkout,
    canSelectFiles: answer === wheel,
    ...(answer === wheel ? { filters: { Wheel: ["whl"] } } : {}),
  });
  const chosen = source?.[0]?.fsPath;
  if (chosen === undefined) {
    return false;
  }
  const python = await basePython();
  if (python === undefined) {
    void vscode.window.showErrorMessage(`Citecheck needs Python ${OLDEST} or later. Install it, then try again.`);
    return false;
  }
  const commands: [string, string[]][] = [
    [python, ["-m", "venv", "--clear", folder]],
    [interpreterIn(folder), ["-m", "pip", "install", "--disable-pip-version-check", `${chosen}[lsp]`]],
  ];
  const title = "Citecheck: creating an environment";
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (_, cancelled) => {
    const stop = new AbortController();
    cancelled.onCancellationRequested(() => stop.abort());
    try {
      for (const [command, args] of commands) {
        log.appendLine(`$ ${[command, ...args].join(" ")}`);
        const done = await run(command, args, { signal: stop.signal, maxBuffer: 1 << 26 });
        log.append(done.stdout + done.stderr);
      }
      return true;
    } catch (error) {
      const { stdout = "", stderr = "", message } = error as { stdout?: string; stderr?: string; message: string };
      log.appendLine(`${stdout}${stderr}${message}`);
      if (!stop.signal.aborted) {
        void vscode.window.showErrorMessage("Citecheck: the installation failed. The log has the reason.");
        log.show();
      }
      return false;
    }
  });
}

async function basePython(): Promise<string | undefined> {
  for (const python of [configuredPython(), await selectedInterpreter(), "python3", "python"]) {
    if (python && (await run(python, ["-c", IS_RECENT]).then(() => true, () => false))) {
      return python;
    }
  }
  return undefined;
}
