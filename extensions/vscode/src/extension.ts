// Postil in VS Code: the language client, its state in the status bar, and what a person does with memories.
import os from 'node:os';
import * as vscode from 'vscode';
import { Client } from './client';
import * as commands from './commands';
import * as views from './views';
import { provideServer } from './mcp';

let client: Client | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Postil', { log: true });
  const running = client = new Client(log, os.homedir());
  context.subscriptions.push(log, running, provideServer(running), ...commands.register(running, log), ...views.register(running));
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('postil.server')) void running.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void running.restart()),
  );
  void running.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
