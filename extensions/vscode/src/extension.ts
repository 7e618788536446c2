// Postil in VS Code: the language client, its state in the status bar, and what a person does with memories.
import os from 'node:os';
import * as vscode from 'vscode';
import { manage } from './actions';
import * as agents from './agents';
import { Client } from './client';
import * as commands from './commands';
import * as gutter from './gutter';
import * as status from './status';
import * as views from './views';
import { ofActiveFile, proposals } from './watched';

let client: Client | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Postil', { log: true });
  const running: Client = client = new Client(log, os.homedir(), async (ids) => { await manage(running, await running.memories(ids)); });
  const active = ofActiveFile(running);
  const waiting = proposals(running);
  context.subscriptions.push(
    log, running, active, waiting, ...agents.provideServers(running, context), ...commands.register(running, active, log),
    ...views.register(running, active, waiting), ...status.register(running, active), ...gutter.register(context, active),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('postil.server')) void running.restart();
      else if (event.affectsConfiguration('postil')) void running.configure();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void running.restart()),
  );
  void running.start().then(() => agents.offerOnce(running, context));
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
