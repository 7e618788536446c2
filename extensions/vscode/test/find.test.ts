import { describe, expect, it } from 'vitest';
import { candidates, find, NotFound, type Machine } from '../src/find';

function machine(there: Record<string, string>, more: Partial<Machine> = {}): Machine {
  return {
    platform: 'linux', home: '/home/ada', path: '/usr/bin:/opt/bin', python: undefined,
    isExecutable: (file) => Promise.resolve(file in there),
    version: (file) => Promise.resolve(there[file] ? { version: there[file] } : { trouble: 'no such interpreter' }),
    ...more,
  };
}

describe('where the server is', () => {
  it('is what was set, and nothing else', () => {
    expect(candidates('/my/postil', machine({}))).toEqual(['/my/postil']);
  });

  it('is looked for in the environment, among tools, on the path', () => {
    expect(candidates('', machine({}, { python: '/shop/.venv/bin/python' }))).toEqual([
      '/shop/.venv/bin/postil', '/home/ada/.local/bin/postil', '/usr/bin/postil', '/opt/bin/postil',
    ]);
  });

  it('has its own name and separators on Windows', () => {
    const windows = machine({}, { platform: 'win32', home: 'C:\\Users\\Ada', path: 'C:\\bin;D:\\tools', python: 'C:\\p\\python.exe' });
    expect(candidates('', windows)).toEqual([
      'C:\\p\\postil.exe', 'C:\\Users\\Ada\\.local\\bin\\postil.exe', 'C:\\bin\\postil.exe', 'D:\\tools\\postil.exe',
    ]);
  });

  it('takes the first that tells its version', async () => {
    const there = { '/usr/bin/postil': '', '/opt/bin/postil': '0.1.0' };
    expect(await find('', machine(there))).toEqual({ command: '/opt/bin/postil', version: '0.1.0' });
  });

  it('says what is wrong with what was set', async () => {
    await expect(find('/my/postil', machine({}))).rejects.toThrow('/my/postil is not there, or is no program.');
    await expect(find('/my/postil', machine({ '/my/postil': '' }))).rejects.toThrow('/my/postil does not start, or is no Postil: no such interpreter.');
    await expect(find('', machine({ '/opt/bin/postil': '' }))).rejects.toThrow('/opt/bin/postil does not start');
    await expect(find('', machine({}))).rejects.toThrow(NotFound);
  });
});
