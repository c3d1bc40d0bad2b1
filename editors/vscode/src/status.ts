/** The item of the status bar: how many references of the shown file have which verdict. */

import * as vscode from "vscode";

// The worst verdict comes first.
const VERDICTS = ["fabricated", "misdescribed", "unfindable", "undecided", "verified"];
const ICONS: Record<string, string> = { fabricated: "error", misdescribed: "warning" };

export type Verdicts = Record<string, number>;

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("citecheck", vscode.StatusBarAlignment.Left, 50);

  constructor() {
    this.item.name = "Citecheck";
  }

  /** Show the verdicts of a file, and open Problems on a click. */
  show(verdicts: Verdicts): void {
    const shown = VERDICTS.filter((one) => verdicts[one]);
    const counts = shown.map((one) => `${String(verdicts[one])} ${one}`).join(", ") || "no references";
    this.say(`$(${ICONS[shown[0] ?? ""] ?? "check"}) ${counts}`, `Citecheck: ${counts}`, "workbench.actions.view.problems");
  }

  /** Show why there are no verdicts. */
  missing(reason: string): void {
    this.say("$(circle-slash) citecheck", `Citecheck is not installed. ${reason}`, "citecheck.createEnvironment");
  }

  hide(): void {
    this.item.hide();
  }

  dispose(): void {
    this.item.dispose();
  }

  private say(text: string, tooltip: string, command: string): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: tooltip, role: "button" };
    this.item.command = command;
    this.item.show();
  }
}
