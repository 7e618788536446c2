// What the views show, as plain rows: grouped, named and marked without the editor, so that it can be tested.

/** A memory as `postil.list` and `postil.proposals` tell it. */
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
  readonly line: number;
  readonly state: string;
}

export interface Group { readonly title: string; readonly memories: readonly Memory[] }

const ICONS: Record<string, string> = {
  rule: 'law', preference: 'law', decision: 'milestone', lesson: 'lightbulb', plan: 'checklist', fact: 'info', summary: 'note',
};

/** The memories of a file by symbol, those of a project by kind; in the order in which they came. */
export function groups(memories: readonly Memory[], by: 'symbol' | 'kind'): Group[] {
  const found = new Map<string, Memory[]>();
  for (const memory of memories) {
    const title = by === 'symbol' ? memory.symbol || 'The file' : plural(memory.kind);
    found.set(title, [...found.get(title) ?? [], memory]);
  }
  return [...found].map(([title, rows]) => ({ title, memories: rows }));
}

/** The icon of a memory: that something is wrong with it goes before its kind. */
export function icon(memory: Memory): string {
  if (memory.state && memory.state !== 'proposed') return 'warning';
  return ICONS[memory.kind] ?? 'note';
}

/** What a screen reader says of a row. */
export function spoken(memory: Memory): string {
  return [memory.kind, memory.what, memory.why && `because ${memory.why}`, memory.state].filter(Boolean).join(', ');
}

export const matches = (memory: Memory, filter: string): boolean =>
  filter.toLowerCase().split(/\s+/).every((word) => `${memory.what} ${memory.why} ${memory.kind} ${memory.path}`.toLowerCase().includes(word));

const plural = (kind: string): string => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`.replace(/ys$/, 'ies');
