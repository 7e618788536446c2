// The editor is not there: `vscode` is the few parts of it that texts need.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/*.test.ts'] },
  resolve: { alias: { vscode: fileURLToPath(new URL('test/vscode.ts', import.meta.url)) } },
});
