import { describe, expect, it } from 'vitest';
import { shown } from '../src/status';
import type { Memory } from '../src/tree';

const memory = (state: string): Memory => ({
  id: 'm-1', kind: 'rule', what: 'Whole cents', why: '', author: '', pinned: false, file: '', path: '', symbol: '', line: 0, state,
});

describe('the status bar', () => {
  it('counts the memories of the file and those in doubt', () => {
    expect(shown({ name: 'running', message: '' }, [memory(''), memory('expired')])).toEqual({
      text: '$(bookmark) Postil 2', label: 'Postil: 2 memories of this file, 1 in doubt', command: 'postil.find',
    });
    expect(shown({ name: 'running', message: '' }, [memory('')]).label).toBe('Postil: 1 memory of this file');
    expect(shown({ name: 'running', message: '' }, []).text).toBe('$(bookmark) Postil');
  });

  it('says what is wrong, and leads to what can be done', () => {
    for (const name of ['missing', 'ended', 'failing'] as const) {
      const { label, command } = shown({ name, message: 'It is gone.' }, []);
      expect(label).toContain('It is gone.');
      expect(command).toBe('postil.setup');
    }
  });
});
