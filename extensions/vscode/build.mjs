// One file for the editor: the extension with its language client.
import { build } from 'esbuild';

await build({
  entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', bundle: true, minify: true, sourcemap: false,
  platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'], logLevel: 'warning', legalComments: 'none',
});
