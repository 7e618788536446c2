// What a person does with one memory: the same from a lens, a hover, a list and the views.
import * as vscode from 'vscode';
import { among, search } from './choose';
import type { Client } from './client';
import { citation, type Listed } from './rows';

interface Action {
  readonly name: string;
  readonly icon: string;
  readonly title: () => string;
  readonly run: (client: Client, memory: Listed) => unknown;
}

export const ACTIONS: readonly Action[] = [
  { name: 'history', icon: 'history', title: () => vscode.l10n.t('Show history and source'), run: (client, { id }) => client.run('postil.history', { memory: id }) },
  { name: 'confirm', icon: 'check', title: () => vscode.l10n.t('Still true'), run: (client, { id }) => client.run('postil.confirm', { memory: id }) },
  { name: 'supersede', icon: 'arrow-swap', title: () => vscode.l10n.t('Replace by a new statement…'), run: supersede },
  { name: 'forget', icon: 'trash', title: () => vscode.l10n.t('Forget'), run: (client, { id }) => client.run('postil.forget', { memory: id }) },
  { name: 'cite', icon: 'quote', title: () => vscode.l10n.t('Insert citation'), run: (_, memory) => cite(memory) },
];

/** Ask what to do with a memory, and do it. */
export async function offer(client: Client, memory: Listed): Promise<void> {
  const items = ACTIONS.map((action) => ({ label: `$(${action.icon}) ${action.title()}`, action }));
  const picked = await vscode.window.showQuickPick(items, { title: memory.what ?? memory.id });
  await picked?.action.run(client, memory);
}

/** Ask which of some memories is meant, then what to do with it. */
export async function manage(client: Client, memories: readonly Listed[]): Promise<void> {
  const title = vscode.l10n.t('Which memory?');
  const memory = memories.length > 1 ? await among(memories, title) : memories[0] ?? await search(client, title);
  if (memory) await offer(client, memory);
}

/** Put the citation of a memory where the cursors are. */
export async function cite(memory: Listed): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a file first: the citation is put where its cursor is.'));
    return;
  }
  await editor.edit((edit) => { editor.selections.forEach((selection) => { edit.replace(selection, citation(memory)); }); });
}

async function supersede(client: Client, memory: Listed): Promise<void> {
  if (!client.allows('postil.supersede')) return;
  const what = await vscode.window.showInputBox({
    title: vscode.l10n.t('What holds instead?'), prompt: memory.what ?? memory.id, value: memory.what ?? '', ignoreFocusOut: true,
  });
  if (!what || what === memory.what) return;
  const why = await vscode.window.showInputBox({ title: vscode.l10n.t('Why? (may be left empty)'), ignoreFocusOut: true });
  if (why !== undefined) await client.run('postil.supersede', { memory: memory.id, what, why });
}
