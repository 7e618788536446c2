// One file for the editor: the extension with its language client.
import { build } from 'esbuild';

await build({
  entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', bundle: true, minify: true, sourcemap: false,
  platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'],
  // Some packages have a form that can be bundled beside the one that cannot.
  mainFields: ['module', 'main'], logLevel: 'warning', legalComments: 'none',
});
