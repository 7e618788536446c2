// The views of the side bar: memories of this file, of this project, and what agents propose.
import * as vscode from 'vscode';
import { ACTIONS } from './actions';
import { projects, type Client } from './client';
import { count, folders, groups, icon, inDoubt, isGroup, matches, spoken, told, type Group, type Memory, type Node } from './tree';
import { PAUSE, type Watched } from './watched';

/** One view. What it shows is asked for anew when something changed and it can be seen. */
class View implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly tree: vscode.TreeView<Node>;
  private timer: NodeJS.Timeout | undefined;

  constructor(id: string, private readonly load: () => Promise<Group[]>) {
    this.tree = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
  }

  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.changed.fire(); }, PAUSE);
  }

  getChildren(node?: Node): Node[] | Promise<Node[]> {
    if (node) return isGroup(node) ? [...node.children] : [];
    return this.load();
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (isGroup(node)) {
      const item = new vscode.TreeItem(node.title, vscode.TreeItemCollapsibleState.Expanded);
      item.description = String(count(node));
      return item;
    }
    const item = new vscode.TreeItem(node.what);
    item.description = inDoubt(node) ? node.state : node.why;
    item.tooltip = told(node);
    item.iconPath = new vscode.ThemeIcon(icon(node));
    item.accessibilityInformation = { label: spoken(node) };
    item.contextValue = node.state === 'proposed' ? 'proposal' : 'memory';
    if (node.file) {
      const place = new vscode.Range(Math.max(node.line - 1, 0), 0, Math.max(node.line - 1, 0), 0);
      item.command = { command: 'vscode.open', title: vscode.l10n.t('Open'), arguments: [vscode.Uri.file(node.file), { selection: place }] };
    }
    return item;
  }

  /** The row that a key was pressed on. */
  selected(): Memory | undefined {
    const node = this.tree.selection[0];
    return this.tree.visible && node && !isGroup(node) ? node : undefined;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.tree.dispose();
    this.changed.dispose();
  }
}

export function register(client: Client, active: Watched, waiting: Watched): vscode.Disposable[] {
  let filter = '';
  const kept = (rows: readonly Memory[]): Memory[] => rows.filter((memory) => matches(memory, filter));
  const file = new View('postil.file', () => Promise.resolve(groups(kept(active.rows), 'symbol')));
  const project = new View('postil.project', async () => {
    const found = await Promise.all(projects().map(async ({ name, uri }) => ({ name, rows: kept(await client.list(uri, true)) })));
    return folders(found);
  });
  const queue = new View('postil.queue', () => Promise.resolve(groups(waiting.rows, 'kind')));
  const badge = (): void => {
    const { length } = waiting.rows;
    const tooltip = length === 1 ? vscode.l10n.t('1 proposal waits for you') : vscode.l10n.t('{0} proposals wait for you', length);
    queue.tree.badge = length ? { value: length, tooltip } : undefined;
    queue.refresh();
  };
  const refresh = (): void => { project.refresh(); };

  // From a row's menu a command gets the row; from a key it takes the one that is selected.
  const on = (name: string, views: View[], run: (memory: Memory) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`postil.row.${name}`, async (given?: Memory) => {
      const memory = given?.id ? given : views.map((view) => view.selected()).find(Boolean);
      if (memory) await run(memory);
    });
  return [
    file, project, queue,
    active.onDidChange(() => { file.refresh(); }),
    waiting.onDidChange(badge),
    client.onDidChange(refresh),
    client.onDidChangeState(refresh),
    vscode.workspace.onDidChangeWorkspaceFolders(refresh),
    ...ACTIONS.map((action) => on(action.name, [file, project], (memory) => action.run(client, memory))),
    on('accept', [queue], ({ id }) => client.run('postil.accept', { memory: id })),
    on('reject', [queue], ({ id }) => client.run('postil.reject', { memory: id })),
    on('edit', [queue], (memory) => edit(client, memory)),
    vscode.commands.registerCommand('postil.filter', async () => {
      const words = await vscode.window.showInputBox({ value: filter, title: vscode.l10n.t('Show only what holds these words') });
      if (words === undefined) return;
      filter = words;
      file.tree.description = project.tree.description = words && vscode.l10n.t('filtered: {0}', words);
      file.refresh();
      refresh();
    }),
    vscode.commands.registerCommand('postil.refresh', () => { file.refresh(); refresh(); }),
  ];
}

async function edit(client: Client, memory: Memory): Promise<void> {
  const title = vscode.l10n.t('Accept, in other words');
  const what = await vscode.window.showInputBox({ value: memory.what, title, ignoreFocusOut: true });
  if (what) await client.run('postil.accept', { memory: memory.id, what });
}
