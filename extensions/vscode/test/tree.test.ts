import { describe, expect, it } from 'vitest';
import { groups, icon, matches, spoken, type Memory } from '../src/tree';

const memory = (more: Partial<Memory>): Memory => ({
  id: 'm-1', kind: 'rule', what: 'Whole cents', why: 'floats lose money', author: '', pinned: false,
  file: '', path: 'src/pay.py', symbol: 'charge', line: 3, state: '', ...more,
});

describe('the views', () => {
  const rows = [memory({}), memory({ id: 'm-2', symbol: '' }), memory({ id: 'm-3', kind: 'decision' })];

  it('group a file by symbol and a project by kind', () => {
    expect(groups(rows, 'symbol').map((one) => [one.title, one.memories.length])).toEqual([['charge', 2], ['The file', 1]]);
    expect(groups(rows, 'kind').map((one) => [one.title, one.memories.length])).toEqual([['Rules', 2], ['Decisions', 1]]);
    expect(groups([{ ...rows[0]!, kind: 'summary' }], 'kind')[0]?.title).toBe('Summaries');
    expect(groups([], 'kind')).toEqual([]);
  });

  it('mark what is in doubt before its kind', () => {
    expect(icon(memory({}))).toBe('law');
    expect(icon(memory({ kind: 'unheard of' }))).toBe('note');
    expect(icon(memory({ state: 'code changed since' }))).toBe('warning');
    expect(icon(memory({ state: 'proposed' }))).toBe('law');
  });

  it('say to a screen reader what they show', () => {
    expect(spoken(memory({ state: 'expired' }))).toBe('rule, Whole cents, because floats lose money, expired');
    expect(spoken(memory({ why: '' }))).toBe('rule, Whole cents');
  });

  it('filter by every word, wherever it stands', () => {
    expect(matches(memory({}), 'CENTS pay')).toBe(true);
    expect(matches(memory({}), 'cents dollars')).toBe(false);
    expect(matches(memory({}), '')).toBe(true);
  });
});
