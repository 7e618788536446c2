// What a person does from the palette and the editor's menu.
import * as vscode from 'vscode';
import { cite, manage } from './actions';
import type { Watched } from './watched';
import { wire } from './agents';
import { search } from './choose';
import type { Client } from './client';
import { typed } from './terminal';

const KINDS = ['decision', 'rule', 'lesson', 'fact', 'preference', 'plan', 'note'];

export function register(client: Client, active: Watched, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const commands: Record<string, () => unknown> = {
    'postil.remember.selection': () => remember(client),
    'postil.find': () => open(client),
    'postil.cite': () => insert(client),
    'postil.manage': () => manage(client, active.rows),
    'postil.wire': () => wire(client),
    'postil.restart': () => client.restart(),
    'postil.log': () => { log.show(); },
    'postil.setup': () => setUp(client, log),
    'postil.snooze': () => client.run('postil.mute', { minutes: 30 }),
    'postil.show': () => client.run('postil.unmute', {}),
  };
  return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run));
}

async function remember(client: Client): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client.allows('postil.remember')) return;
  const { document, selection } = editor;
  const what = await vscode.window.showInputBox({
    title: vscode.l10n.t('Remember: what is it?'), prompt: vscode.l10n.t('One statement'), ignoreFocusOut: true,
    value: document.getText(selection).trim().replace(/^[#/*\s-]+/, '').split('\n')[0] ?? '',
  });
  if (!what) return;
  const kind = await vscode.window.showQuickPick(KINDS, { title: vscode.l10n.t('What kind of memory?') });
  if (!kind) return;
  const why = await vscode.window.showInputBox({ title: vscode.l10n.t('Why? (may be left empty)'), ignoreFocusOut: true });
  if (why === undefined) return;
  await client.run('postil.remember', {
    uri: document.uri.toString(), line: selection.start.line, end: selection.end.line, what, kind, why,
  });
}

async function open(client: Client): Promise<void> {
  const found = await search(client, '');
  if (found) await client.run('postil.history', { memory: found.id });
}

async function insert(client: Client): Promise<void> {
  const found = await search(client, vscode.l10n.t('Insert the citation of…'));
  if (found) await cite(found);
}

/** What can be done where the server is missing, does not stay up or cannot answer. */
async function setUp(client: Client, log: vscode.LogOutputChannel): Promise<void> {
  const install = vscode.l10n.t('How to install');
  const choose = vscode.l10n.t('Choose the program');
  const again = vscode.l10n.t('Try again');
  const show = vscode.l10n.t('Show log');
  const isMissing = client.state.name === 'missing';
  const told = client.state.message || vscode.l10n.t('Postil is running: {0}', client.found?.version ?? '');
  const text = isMissing ? `${told} ${vscode.l10n.t('It is a program of its own, and is never installed without you.')}` : told;
  const chosen = await vscode.window.showWarningMessage(text, ...isMissing ? [install, choose] : [], again, show);
  if (chosen === install) typed('uv tool install postil  # or: pipx install postil');
  else if (chosen === choose) await vscode.commands.executeCommand('workbench.action.openSettings', 'postil.server.command');
  else if (chosen === again) await client.restart();
  else if (chosen === show) log.show();
}
