// The views of the side bar: memories of this file, of this project, and what agents propose.
import * as vscode from 'vscode';
import type { Client } from './client';
import { groups, icon, matches, spoken, type Group, type Memory } from './tree';

type Node = Group | Memory;
const isGroup = (node: Node): node is Group => 'memories' in node;
// Milliseconds in which changes come together.
const PAUSE = 200;

/** One view. What it shows is asked for anew when something changed and it can be seen. */
class View implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly tree: vscode.TreeView<Node>;
  filter = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(id: string, private readonly by: 'symbol' | 'kind', private readonly load: () => Promise<Memory[]>) {
    this.tree = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
  }

  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.changed.fire(); }, PAUSE);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node) return isGroup(node) ? [...node.memories] : [];
    const rows = (await this.load()).filter((memory) => matches(memory, this.filter));
    this.tree.description = this.filter ? vscode.l10n.t('filtered: {0}', this.filter) : '';
    if (this.tree.title?.startsWith(vscode.l10n.t('Proposals'))) {
      this.tree.badge = rows.length ? { value: rows.length, tooltip: vscode.l10n.t('{0} proposals wait for you', rows.length) } : undefined;
    }
    return groups(rows, this.by);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (isGroup(node)) {
      const item = new vscode.TreeItem(node.title, vscode.TreeItemCollapsibleState.Expanded);
      item.description = String(node.memories.length);
      return item;
    }
    const item = new vscode.TreeItem(node.what);
    item.id = node.id;
    item.description = node.state && node.state !== 'proposed' ? node.state : node.why;
    item.tooltip = [node.what, node.why && `Why: ${node.why}`, node.path && `${node.path}:${node.line}`, `[${node.id}]`].filter(Boolean).join('\n');
    item.iconPath = new vscode.ThemeIcon(icon(node));
    item.accessibilityInformation = { label: spoken(node) };
    item.contextValue = node.state === 'proposed' ? 'proposal' : 'memory';
    if (node.file) {
      const place = new vscode.Range(Math.max(node.line - 1, 0), 0, Math.max(node.line - 1, 0), 0);
      item.command = { command: 'vscode.open', title: 'Open', arguments: [vscode.Uri.file(node.file), { selection: place }] };
    }
    return item;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.tree.dispose();
    this.changed.dispose();
  }
}

export function register(client: Client): vscode.Disposable[] {
  const list = async (all: boolean): Promise<Memory[]> => {
    const active = vscode.window.activeTextEditor?.document.uri;
    const uri = active?.scheme === 'file' ? active : all ? projectFile() : undefined;
    if (!uri) return [];
    return (await client.run<{ rows: Memory[] }>('postil.list', { uri: uri.toString(), all }))?.rows ?? [];
  };
  const file = new View('postil.file', 'symbol', () => list(false));
  const project = new View('postil.project', 'kind', () => list(true));
  const queue = new View('postil.queue', 'kind', async () =>
    (await client.run<{ rows: Memory[] }>('postil.proposals', {}))?.rows ?? []);
  const views = [file, project, queue];
  const refresh = (): void => { views.forEach((view) => { view.refresh(); }); };
  const on = (name: string, command: string): vscode.Disposable =>
    vscode.commands.registerCommand(name, async (memory?: Memory) => {
      if (memory?.id) await client.run(command, { memory: memory.id });
    });
  return [
    ...views,
    client.onDidChange(refresh),
    vscode.window.onDidChangeActiveTextEditor(refresh),
    on('postil.row.confirm', 'postil.confirm'),
    on('postil.row.forget', 'postil.forget'),
    on('postil.row.history', 'postil.history'),
    on('postil.row.accept', 'postil.accept'),
    on('postil.row.reject', 'postil.reject'),
    vscode.commands.registerCommand('postil.row.edit', async (memory?: Memory) => {
      if (!memory) return;
      const what = await vscode.window.showInputBox({ value: memory.what, title: vscode.l10n.t('Accept, in other words'), ignoreFocusOut: true });
      if (what) await client.run('postil.accept', { memory: memory.id, what });
    }),
    vscode.commands.registerCommand('postil.filter', async () => {
      const filter = await vscode.window.showInputBox({ value: project.filter, title: vscode.l10n.t('Show only what holds these words') });
      if (filter === undefined) return;
      project.filter = file.filter = filter;
      refresh();
    }),
    vscode.commands.registerCommand('postil.refresh', refresh),
  ];
}

/** A name in the first folder: the project is known by where a file lies, whether it exists or not. */
function projectFile(): vscode.Uri | undefined {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder && vscode.Uri.joinPath(folder, 'README.md');
}
