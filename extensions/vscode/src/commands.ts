// What a person does from the palette and the editor's menu.
import * as vscode from 'vscode';
import type { Client } from './client';
import { rows, type Hit } from './rows';

interface Answer { readonly text: string; readonly data?: { readonly hits?: readonly Hit[] } }

const KINDS = ['decision', 'rule', 'lesson', 'fact', 'preference', 'plan', 'note'];

export function register(client: Client, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const commands: Record<string, () => unknown> = {
    'postil.remember.selection': () => remember(client),
    'postil.find': () => search(client),
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

async function search(client: Client): Promise<void> {
  const uri = (vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri)?.toString();
  if (!uri) return;
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { hit: Hit }>();
  pick.placeholder = vscode.l10n.t('Search what is remembered');
  pick.matchOnDescription = pick.matchOnDetail = true;
  let asked = 0;
  pick.onDidChangeValue(async (query) => {
    const turn = ++asked;
    pick.busy = true;
    const answer = query.trim() ? await client.run<Answer>('postil.search', uri, { query }) : undefined;
    if (turn !== asked) return; // something else was typed meanwhile
    pick.items = rows(answer?.data?.hits ?? []).map((row) => ({ ...row, alwaysShow: true }));
    pick.busy = false;
  });
  pick.onDidAccept(() => {
    const chosen = pick.selectedItems[0];
    pick.hide();
    if (chosen) void client.run('postil.history', { memory: chosen.hit.id });
  });
  pick.onDidHide(() => { pick.dispose(); });
  pick.show();
}

/** What can be done where the server is missing or does not stay up. */
async function setUp(client: Client, log: vscode.LogOutputChannel): Promise<void> {
  const install = vscode.l10n.t('How to install');
  const choose = vscode.l10n.t('Choose the program');
  const again = vscode.l10n.t('Try again');
  const show = vscode.l10n.t('Show log');
  const told = client.found ? vscode.l10n.t('The server of Postil does not stay up.') : vscode.l10n.t('Postil was not found. It is a program of its own, and is never installed without you.');
  const chosen = await vscode.window.showWarningMessage(told, install, choose, again, show);
  if (chosen === install) {
    const terminal = vscode.window.createTerminal('Postil');
    terminal.show();
    terminal.sendText('uv tool install postil  # or: pipx install postil', false); // the person presses Enter
  } else if (chosen === choose) await vscode.commands.executeCommand('workbench.action.openSettings', 'postil.server.command');
  else if (chosen === again) await client.restart();
  else if (chosen === show) log.show();
}
