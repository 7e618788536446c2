import { describe, expect, it } from 'vitest';
import { citation, rows } from '../src/rows';

describe('search results', () => {
  it('show the statement, the kind and the reason', () => {
    const hit = { id: 'm-1', kind: 'rule', what: 'Whole cents', why: 'floats lose money' };
    expect(rows([hit])).toEqual([{ label: 'Whole cents', description: 'rule', detail: 'floats lose money', memory: hit }]);
  });

  it('are one line each, and hold no icons of their own', () => {
    const [row] = rows([{ id: 'm-1', what: 'a\n b $(trash) ' + 'x'.repeat(300) }]);
    expect(row?.label).toHaveLength(161);
    expect(row?.label).toMatch(/^a b \$ \(trash\) x+…$/);
  });

  it('leave out turns of conversations', () => {
    expect(rows([{ id: 'e-1', text: 'said' }])).toEqual([]);
  });

  it('are cited as the server reads it', () => {
    expect(citation({ id: 'm-1' })).toBe('[m-1]');
  });
});
