// Search results as a person reads them in a list.

/** One result of `postil.search`, as the server tells it. */
export interface Hit {
  readonly id: string;
  readonly kind?: string;
  readonly what?: string;
  readonly why?: string;
  readonly text?: string;
  readonly where?: readonly { readonly path?: string; readonly line?: number }[];
}

export interface Row { readonly label: string; readonly description: string; readonly detail: string; readonly hit: Hit }

/** A row for each memory: its statement, its kind, its reason. Line breaks would cut the list. */
export function rows(hits: readonly Hit[]): Row[] {
  return hits
    .filter((hit) => hit.id.startsWith('m-'))
    .map((hit) => ({ label: flat(hit.what ?? hit.text ?? hit.id), description: hit.kind ?? '', detail: flat(hit.why ?? ''), hit }));
}

function flat(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  // `$(name)` would become an icon.
  return (line.length > 160 ? `${line.slice(0, 159)}…` : line).replaceAll('$(', '$ (');
}
