/** Citecheck for VS Code: starts `citecheck lsp`, which finds and corrects; this extension adds commands and a status bar item. */

import * as vscode from "vscode";
import {
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentDiagnosticRequest,
  ExecuteCommandRequest,
  LanguageClient,
} from "vscode-languageclient/node";
import { createEnvironment, findProgram, onDidSelectInterpreter, type Program } from "./environment";
import { commandLine } from "./options";
import { Status, type Verdicts } from "./status";

let running: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  running = new Server(context);
  context.subscriptions.push(running);
  await running.start();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

class Server implements vscode.Disposable {
  private readonly log = vscode.window.createOutputChannel("Citecheck", { log: true });
  private readonly status = new Status();
  private readonly disposables: vscode.Disposable[] = [this.log, this.status];
  private client: LanguageClient | undefined;
  private program: Program | undefined;
  private turn = Promise.resolve();
  private asked = false;

  constructor(private readonly context: vscode.ExtensionContext) {
    const commands: Record<string, () => unknown> = {
      "citecheck.checkFile": () => this.checkFile(),
      "citecheck.checkWorkspace": () => this.checkWorkspace(),
      "citecheck.explainFinding": () => this.explain(),
      "citecheck.correct": () => this.correct(),
      "citecheck.createEnvironment": () => this.create(),
      "citecheck.restart": () => this.start(),
    };
    for (const [name, command] of Object.entries(commands)) {
      this.disposables.push(vscode.commands.registerCommand(name, command));
    }
    this.disposables.push(
      vscode.window.onDidChangeActiveTextEditor(() => this.count()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.start()),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("citecheck") && this.start()),
    );
    void onDidSelectInterpreter(() => this.start()).then((one) => this.disposables.push(one));
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Start the language server, or restart it with the present settings. */
  start(): Promise<void> {
    this.turn = this.turn.then(() => this.restart()).catch((error: unknown) => this.log.error(String(error)));
    return this.turn;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await vscode.commands.executeCommand("setContext", "citecheck.runs", false);
    await client?.dispose();
  }

  private async restart(): Promise<void> {
    await this.stop();
    const found = await findProgram(this.context);
    this.program = found.program;
    if (found.program === undefined) {
      this.log.warn(found.reason);
      this.status.missing(found.reason);
      void this.offer(found.reason);
      return;
    }
    const { command, args } = found.program;
    const languages = vscode.workspace.getConfiguration("citecheck").get<string[]>("languages", []);
    const schemes = ["file", "untitled"];
    const client = new LanguageClient(
      "citecheck",
      "Citecheck",
      { command, args: [...args, "lsp", ...commandLine(this.context, "lsp")], options: this.inFolder() },
      {
        documentSelector: languages.flatMap((language) => schemes.map((scheme) => ({ scheme, language }))),
        outputChannel: this.log,
        middleware: {
          provideDiagnostics: async (document, previous, token, next) => {
            const report = await next(document, previous, token);
            void this.count();
            return report;
          },
        },
      },
    );
    await client.start();
    this.client = client;
    await vscode.commands.executeCommand("setContext", "citecheck.runs", true);
    await this.count();
  }

  private inFolder(): { cwd?: string } {
    const folder = vscode.workspace.workspaceFolders?.[0];
    return folder?.uri.scheme === "file" ? { cwd: folder.uri.fsPath } : {};
  }

  private async offer(reason: string): Promise<void> {
    if (this.asked) {
      return;
    }
    this.asked = true;
    const [make, choose] = ["Create an environment", "Choose a Python"];
    const answer = await vscode.window.showWarningMessage(`Citecheck cannot start. ${reason}`, make, choose);
    if (answer === make) {
      await this.create();
    } else if (answer === choose) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "citecheck.pythonPath");
    }
  }

  private async create(): Promise<void> {
    if (await createEnvironment(this.context, this.log)) {
      await this.start();
    }
  }

  /** The shown document, if the server checks it. */
  private shown(): vscode.TextDocument | undefined {
    const document = vscode.window.activeTextEditor?.document;
    const selector = this.client?.clientOptions.documentSelector;
    return document && selector && vscode.languages.match(selector as vscode.DocumentSelector, document) ? document : undefined;
  }

  private async ask<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
    const answer: unknown = await this.client?.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
    return answer as T | undefined;
  }

  private async count(): Promise<void> {
    const document = this.shown();
    if (document === undefined) {
      if (this.client) {
        this.status.hide();
      }
      return;
    }
    const verdicts = await this.ask<Verdicts | null>("citecheck.verdicts", String(document.uri));
    if (this.shown() === document && verdicts) {
      this.status.show(verdicts);
    }
  }

  private async checkFile(): Promise<void> {
    const document = this.shown();
    const client = this.client;
    if (document === undefined || client === undefined) {
      void vscode.window.showInformationMessage("Citecheck: open a BibTeX, LaTeX or Markdown file first.");
      return;
    }
    const textDocument = client.code2ProtocolConverter.asOpenTextDocumentParams(document);
    await client.sendNotification(DidCloseTextDocumentNotification.type, {
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
    });
    await client.sendNotification(DidOpenTextDocumentNotification.type, textDocument);
    client.getFeature(DocumentDiagnosticRequest.method).getProvider(document)?.onDidChangeDiagnosticsEmitter.fire();
    await this.count();
    await vscode.commands.executeCommand("workbench.actions.view.problems");
  }

  /** Run `citecheck check` on a folder. Problems gets the findings of the files that are not open. */
  private async checkWorkspace(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
    if (folder === undefined || this.program === undefined) {
      const reason = folder === undefined ? "open a folder first." : "there is no environment with citecheck.";
      void vscode.window.showInformationMessage(`Citecheck: ${reason}`);
      return;
    }
    const { command, args } = this.program;
    const line = [...args, "check", "--format=concise", ...commandLine(this.context, "check"), "."];
    const execution = new vscode.ProcessExecution(command, line, { cwd: folder.uri.fsPath });
    const task = new vscode.Task({ type: "citecheck" }, folder, "Check workspace", "citecheck", execution, "$citecheck");
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, showReuseMessage: false };
    await vscode.tasks.executeTask(task);
  }

  /** A finding at the cursor, or one that the user picks; its line moves into view. */
  private async finding(document: vscode.TextDocument): Promise<vscode.Diagnostic | undefined> {
    const cursor = vscode.window.activeTextEditor?.selection.active;
    const all = vscode.languages.getDiagnostics(document.uri).filter((one) => one.source === "citecheck");
    const here = all.filter((one) => cursor && one.range.contains(cursor));
    const choice = here.length > 0 ? here : all;
    if (choice.length === 0) {
      void vscode.window.showInformationMessage("Citecheck: this file has no finding.");
    }
    if (choice.length <= 1) {
      return choice[0];
    }
    const items = choice.map((one) => ({ label: one.message, description: `line ${String(one.range.start.line + 1)}`, one }));
    return (await vscode.window.showQuickPick(items, { placeHolder: "Which finding?" }))?.one;
  }

  private async explain(): Promise<void> {
    const document = this.shown();
    const finding = document && (await this.finding(document));
    if (finding) {
      await this.ask("citecheck.explain", String(finding.code).split(" ")[0]);
    }
  }

  private async correct(): Promise<void> {
    const document = this.shown();
    const finding = document && (await this.finding(document));
    if (!document || !finding) {
      return;
    }
    const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      document.uri,
      finding.range,
      vscode.CodeActionKind.QuickFix.value,
      20, // this many are resolved: they have their edits
    );
    const actions = found.filter((one) => /^(Correct|Add the DOI)/.test(one.title) && one.edit);
    const action =
      actions.length > 1
        ? (await vscode.window.showQuickPick(actions.map((one) => ({ label: one.title, one }))))?.one
        : actions[0];
    if (action?.edit) {
      await vscode.workspace.applyEdit(action.edit);
    } else if (actions.length === 0) {
      void vscode.window.showInformationMessage("Citecheck: there is no certain correction for this finding.");
    }
  }
}
