import { describe, expect, it } from 'vitest';
import { holdsServer, unwired } from '../src/wired';

describe('how clients are wired', () => {
  it('is read from an mcp.json with comments', () => {
    expect(holdsServer('{ // mine\n "servers": { "postil": { "command": "postil" }, } }')).toBe(true);
    expect(holdsServer('{ "servers": { "other": {} } }')).toBe(false);
    for (const text of ['', 'not JSON', '[]', '{"servers": 3}', 'null']) expect(holdsServer(text)).toBe(false);
  });

  it('is what the program says of those that are here', () => {
    const clients = { 'claude-code': 'not installed', codex: 'installed', vscode: 'not installed', emacs: 'by hand' };
    expect(unwired(JSON.stringify({ clients }))).toEqual(['claude-code']);
    expect(unwired(JSON.stringify({ clients: { ...clients, 'claude-code (project)': 'installed' } }))).toEqual([]);
  });
});
