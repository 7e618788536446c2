import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (file: string): string => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;
const words = JSON.parse(read('package.nls.json')) as Record<string, string>;

// What a person reads in the manifest.
const SHOWN = new Set(['title', 'displayName', 'description', 'markdownDescription', 'contents', 'altText', 'name']);
const NAMES_OF_OURS = new Set(['postil', 'Postil']);

function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => (typeof below === 'string' ? (SHOWN.has(key) ? [below] : []) : texts(below)));
}

describe('the strings', () => {
  it('of the manifest are all in package.nls.json, and it holds no others', () => {
    const shown = texts(manifest).filter((text) => !NAMES_OF_OURS.has(text));
    expect(shown.filter((text) => !/^%.+%$/.test(text))).toEqual([]);
    expect(new Set(shown.map((text) => text.slice(1, -1)))).toEqual(new Set(Object.keys(words)));
  });

  it('of the code are all in the bundle for translators', () => {
    const bundle = JSON.parse(read('l10n/bundle.l10n.json')) as Record<string, string>;
    const sources = ['actions', 'agents', 'choose', 'client', 'commands', 'find', 'status', 'tree', 'views'].map((name) => read(`src/${name}.ts`)).join('\n');
    const used = [...sources.matchAll(/\bl10n\.t\('((?:[^'\\]|\\.)*)'/g)].map((found) => found[1]);
    expect(used.length).toBeGreaterThan(30);
    expect(new Set(used)).toEqual(new Set(Object.keys(bundle)));
  });
});
