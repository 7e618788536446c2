// The item in the status bar: how the server is, and how much is remembered of the file that is open.
import * as vscode from 'vscode';
import type { Watched } from './watched';
import type { Client, State } from './client';
import { inDoubt, type Memory } from './tree';

/** What the item shows, and what a click on it does. */
export interface Shown { readonly text: string; readonly label: string; readonly command: string }

export function shown(state: State, memories: readonly Memory[]): Shown {
  switch (state.name) {
    case 'starting': return { text: '$(sync~spin) Postil', label: vscode.l10n.t('Postil is starting'), command: 'postil.log' };
    case 'missing': return { text: '$(warning) Postil', label: `${state.message} ${vscode.l10n.t('Click to see what can be done.')}`, command: 'postil.setup' };
    case 'ended': return { text: '$(error) Postil', label: `${state.message} ${vscode.l10n.t('Click to see what can be done.')}`, command: 'postil.setup' };
    case 'failing': return { text: '$(warning) Postil', label: vscode.l10n.t('Postil cannot answer: {0}', state.message), command: 'postil.setup' };
    case 'running': return { text: `$(bookmark) Postil${memories.length ? ` ${memories.length}` : ''}`, label: ofFile(memories), command: 'postil.find' };
  }
}

function ofFile(memories: readonly Memory[]): string {
  const doubtful = memories.filter(inDoubt).length;
  const all = memories.length === 1 ? vscode.l10n.t('1 memory of this file') : vscode.l10n.t('{0} memories of this file', memories.length);
  return `Postil: ${all}${doubtful ? vscode.l10n.t(', {0} in doubt', doubtful) : ''}`;
}

export function register(client: Client, active: Watched): vscode.Disposable[] {
  const item = vscode.window.createStatusBarItem('postil', vscode.StatusBarAlignment.Left, 0);
  item.name = 'Postil';
  const show = (): void => {
    const { text, label, command } = shown(client.state, active.rows);
    Object.assign(item, { text, command, tooltip: tooltip(client.state, label), accessibilityInformation: { label, role: 'button' } });
  };
  show();
  item.show();
  return [item, client.onDidChangeState(show), active.onDidChange(show)];
}

/** What is told on hovering, with ways to go on. */
function tooltip(state: State, label: string): vscode.MarkdownString {
  const links = state.name === 'running'
    ? [[vscode.l10n.t('Search'), 'postil.find'], [vscode.l10n.t('Memories of this file'), 'postil.manage'], [vscode.l10n.t('Proposals'), 'postil.queue.focus'], [vscode.l10n.t('Hide for 30 minutes'), 'postil.snooze']]
    : [[vscode.l10n.t('What can be done'), 'postil.setup']];
  links.push([vscode.l10n.t('Log'), 'postil.log']);
  const text = new vscode.MarkdownString('', true);
  text.isTrusted = { enabledCommands: links.map(([, command]) => command ?? '') };
  text.appendText(label);
  text.appendMarkdown(`\n\n${links.map(([title, command]) => `[${title}](command:${command})`).join(' · ')}`);
  return text;
}
