import { describe, expect, it } from 'vitest';
import { count, folders, groups, icon, matches, spoken, told, type Memory } from '../src/tree';

const memory = (more: Partial<Memory>): Memory => ({
  id: 'm-1', kind: 'rule', what: 'Whole cents', why: 'floats lose money', author: '', pinned: false,
  file: '', path: 'src/pay.py', symbol: 'charge', line: 3, state: '', ...more,
});

describe('the views', () => {
  const rows = [memory({}), memory({ id: 'm-2', symbol: '' }), memory({ id: 'm-3', kind: 'decision' })];

  it('group a file by symbol and a project by kind', () => {
    expect(groups(rows, 'symbol').map((one) => [one.title, one.children.length])).toEqual([['charge', 2], ['The file', 1]]);
    expect(groups(rows, 'kind').map((one) => [one.title, one.children.length])).toEqual([['Rules', 2], ['Decisions', 1]]);
    expect(groups([memory({ kind: 'summary' })], 'kind')[0]?.title).toBe('Summaries');
    expect(groups([], 'kind')).toEqual([]);
  });

  it('group several folders by folder first', () => {
    const all = folders([{ name: 'api', rows }, { name: 'empty', rows: [] }, { name: 'web', rows: rows.slice(0, 1) }]);
    expect(all.map((one) => [one.title, count(one)])).toEqual([['api', 3], ['web', 1]]);
    expect(all[0]?.children.map((one) => 'title' in one && one.title)).toEqual(['Rules', 'Decisions']);
    expect(folders([{ name: 'api', rows }])).toEqual(groups(rows, 'kind'));
    expect(folders([])).toEqual([]);
  });

  it('tell all of a memory in a tooltip', () => {
    expect(told(memory({ state: 'code changed since' }))).toBe(
      'Whole cents\nWhy: floats lose money\nIn doubt: code changed since\nsrc/pay.py:3\n[m-1]');
    expect(told(memory({ why: '', path: '' }))).toBe('Whole cents\n[m-1]');
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
