// Memories as a person reads them in a list.

/** What a list shows of a memory: a search result, or a row of a view. */
export interface Listed {
  readonly id: string;
  readonly kind?: string;
  readonly what?: string;
  readonly why?: string;
  readonly text?: string;
}

export interface Row { readonly label: string; readonly description: string; readonly detail: string; readonly memory: Listed }

/** A row for each memory: its statement, its kind, its reason. Turns of conversations are left out. */
export function rows(found: readonly Listed[]): Row[] {
  return found
    .filter((one) => one.id.startsWith('m-'))
    .map((one) => ({ label: flat(one.what ?? one.text ?? one.id), description: one.kind ?? '', detail: flat(one.why ?? ''), memory: one }));
}

/** A citation as the server reads it in comments. */
export const citation = (memory: Pick<Listed, 'id'>): string => `[${memory.id}]`;

/** One line, since breaks would cut the list. */
function flat(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  // `$(name)` would become an icon.
  return (line.length > 160 ? `${line.slice(0, 159)}…` : line).replaceAll('$(', '$ (');
}
