// Agents: those of VS Code get Postil's tools from the editor itself, with no file edited; others are wired by `postil install`.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Client } from './client';
import { holdsServer, unwired } from './wired';
import { typed } from './terminal';

const ASKED = 'postil.agents.asked';

/** Offer the tools as an MCP server: one for each folder, none where a file of VS Code names it already. */
export function provideServers(client: Client, context: vscode.ExtensionContext): vscode.Disposable[] {
  const changed = new vscode.EventEmitter<void>();
  const files = vscode.workspace.createFileSystemWatcher('**/.vscode/mcp.json');
  const tell = (): void => { changed.fire(); };
  const provider = vscode.lm.registerMcpServerDefinitionProvider('postil.mcp', {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: async () => {
      const wanted = vscode.workspace.getConfiguration('postil').get<boolean>('agents.mcp');
      // Of VS Code's own folder, beside the storage that it gives to extensions.
      const users = path.join(context.globalStorageUri.fsPath, '..', '..', 'mcp.json');
      if (!client.found || !wanted || await names(users)) return [];
      const all = vscode.workspace.workspaceFolders ?? [];
      const free = await Promise.all(all.map(async (one) => !await names(path.join(one.uri.fsPath, '.vscode', 'mcp.json'))));
      return all.filter((_, at) => free[at]).map((folder) => server(client, folder, all.length > 1));
    },
  });
  return [
    changed, files, provider, client.onDidChangeState(tell), files.onDidChange(tell), files.onDidCreate(tell), files.onDidDelete(tell),
    vscode.workspace.onDidChangeWorkspaceFolders(tell),
    vscode.workspace.onDidChangeConfiguration((event) => { if (event.affectsConfiguration('postil.agents')) tell(); }),
  ];
}

function server(client: Client, folder: vscode.WorkspaceFolder, isOneOfSeveral: boolean): vscode.McpStdioServerDefinition {
  const { command, version } = client.found ?? { command: 'postil', version: '' };
  const label = isOneOfSeveral ? `Postil ${folder.name}` : 'Postil';
  const made = new vscode.McpStdioServerDefinition(label, command, ['mcp', '--project', folder.uri.fsPath], {}, version);
  made.cwd = folder.uri;
  return made;
}

const names = (file: string): Promise<boolean> => readFile(file, 'utf8').then(holdsServer, () => false);

/** Say once on this machine that clients are here which Postil could be wired into. */
export async function offerOnce(client: Client, context: vscode.ExtensionContext): Promise<void> {
  if (!vscode.workspace.isTrusted || context.globalState.get(ASKED)) return;
  const clients = await others(client);
  if (!clients?.length) return;
  await context.globalState.update(ASKED, true);
  const yes = vscode.l10n.t('Show what to run');
  const text = vscode.l10n.t('Postil can be the memory of {0}, too. It is said only this once; see "Postil: Wire Other Agents".', clients.join(', '));
  if (await vscode.window.showInformationMessage(text, yes) === yes) await wire(client);
}

/** Let the person choose clients, and put the command for them in a terminal. */
export async function wire(client: Client): Promise<void> {
  const clients = await others(client);
  if (!clients?.length) {
    const text = clients ? vscode.l10n.t('Every other client that was found here is wired.') : client.state.message;
    void vscode.window.showInformationMessage(text || vscode.l10n.t('Postil does not run.'));
    return;
  }
  const title = vscode.l10n.t('Wire Postil into…');
  const items = clients.map((label) => ({ label, picked: true }));
  const chosen = await vscode.window.showQuickPick(items, { title, canPickMany: true });
  if (chosen?.length) typed(`${quoted(client.found?.command ?? 'postil')} install ${chosen.map(({ label }) => label).join(' ')}`);
}

const quoted = (command: string): string => (/\s/.test(command) ? `"${command}"` : command);

/** The clients that are here and not wired; undefined where it cannot be told. */
function others(client: Client): Promise<string[] | undefined> {
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const { found } = client;
  if (!found || !cwd) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    execFile(found.command, ['status', '--json'], { cwd, timeout: 20_000, windowsHide: true }, (error, out) => {
      resolve(error ? undefined : unwired(out));
    });
  });
}
