// Picking memories from a list: those that a search finds while the person types, or some that are named.
import * as vscode from 'vscode';
import type { Client } from './client';
import { rows, type Listed, type Row } from './rows';

interface Answer { readonly data?: { readonly hits?: readonly Listed[] } }

/** Search while the person types; undefined when nothing is chosen. */
export function search(client: Client, title: string): Promise<Listed | undefined> {
  const uri = (vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri)?.toString();
  const pick = list(title, vscode.l10n.t('Search what is remembered'), []);
  let asked = 0;
  pick.onDidChangeValue(async (query) => {
    const turn = ++asked;
    pick.busy = true;
    const answer = uri && query.trim() ? await client.run<Answer>('postil.search', uri, { query }) : undefined;
    if (turn !== asked) return; // something else was typed meanwhile
    pick.items = rows(answer?.data?.hits ?? []).map((row) => ({ ...row, alwaysShow: true }));
    pick.busy = false;
  });
  return chosen(pick);
}

/** One of some memories; undefined when nothing is chosen. */
export function among(memories: readonly Listed[], title: string): Promise<Listed | undefined> {
  return chosen(list(title, '', rows(memories)));
}

function list(title: string, placeholder: string, items: Row[]): vscode.QuickPick<Row> {
  const pick = vscode.window.createQuickPick<Row>();
  return Object.assign(pick, { title, placeholder, items, matchOnDescription: true, matchOnDetail: true });
}

function chosen(pick: vscode.QuickPick<Row>): Promise<Listed | undefined> {
  return new Promise((resolve) => {
    pick.onDidAccept(() => { resolve(pick.selectedItems[0]?.memory); pick.hide(); });
    pick.onDidHide(() => { resolve(undefined); pick.dispose(); });
    pick.show();
  });
}
