// What the views show, as plain rows: grouped, named and marked without the editor, so that it can be tested.
import { l10n } from 'vscode';

/** A memory as `postil.list`, `postil.proposals` and `postil.memories` tell it. */
export interface Memory {
  readonly id: string;
  readonly kind: string;
  readonly what: string;
  readonly why: string;
  readonly author: string;
  readonly pinned: boolean;
  readonly file: string;
  readonly path: string;
  readonly symbol: string;
  /** From 1; 0 where it is about no line. */
  readonly line: number;
  /** Why it is in doubt; `proposed` for what waits for a person; empty where all is well. */
  readonly state: string;
}

export interface Group { readonly title: string; readonly children: readonly Node[] }
export type Node = Group | Memory;

export const isGroup = (node: Node): node is Group => 'children' in node;
export const inDoubt = (memory: Memory): boolean => memory.state !== '' && memory.state !== 'proposed';

const ICONS: Record<string, string> = {
  rule: 'law', preference: 'law', decision: 'milestone', lesson: 'lightbulb', plan: 'checklist', fact: 'info', summary: 'note',
};

/** The memories of a file by symbol, those of a project by kind; in the order in which they came. */
export function groups(memories: readonly Memory[], by: 'symbol' | 'kind'): Group[] {
  const found = new Map<string, Memory[]>();
  for (const memory of memories) {
    const title = by === 'symbol' ? memory.symbol || l10n.t('The file') : plural(memory.kind);
    found.set(title, [...found.get(title) ?? [], memory]);
  }
  return [...found].map(([title, children]) => ({ title, children }));
}

/** The memories of several folders by folder, then by kind; those of one folder by kind alone. */
export function folders(found: readonly { readonly name: string; readonly rows: readonly Memory[] }[]): Group[] {
  if (found.length === 1) return groups(found[0]?.rows ?? [], 'kind');
  return found.filter(({ rows }) => rows.length).map(({ name, rows }) => ({ title: name, children: groups(rows, 'kind') }));
}

/** How many memories lie below a node. */
export const count = (node: Node): number => (isGroup(node) ? node.children.reduce((sum, child) => sum + count(child), 0) : 1);

/** The icon of a memory: that something is wrong with it goes before its kind. */
export const icon = (memory: Memory): string => (inDoubt(memory) ? 'warning' : ICONS[memory.kind] ?? 'note');

/** What a screen reader says of a row. */
export function spoken(memory: Memory): string {
  return [memory.kind, memory.what, memory.why && l10n.t('because {0}', memory.why), memory.state].filter(Boolean).join(', ');
}

/** All of a memory, for a tooltip. */
export function told(memory: Memory): string {
  const place = memory.path && (memory.line ? `${memory.path}:${memory.line}` : memory.path);
  const doubt = inDoubt(memory) && l10n.t('In doubt: {0}', memory.state);
  return [memory.what, memory.why && l10n.t('Why: {0}', memory.why), doubt, place, `[${memory.id}]`].filter(Boolean).join('\n');
}

export const matches = (memory: Memory, filter: string): boolean =>
  filter.toLowerCase().split(/\s+/).every((word) => `${memory.what} ${memory.why} ${memory.kind} ${memory.path}`.toLowerCase().includes(word));

const plural = (kind: string): string => ({
  decision: l10n.t('Decisions'), rule: l10n.t('Rules'), lesson: l10n.t('Lessons'), fact: l10n.t('Facts'),
  preference: l10n.t('Preferences'), plan: l10n.t('Plans'), note: l10n.t('Notes'), summary: l10n.t('Summaries'),
}[kind] ?? kind);
