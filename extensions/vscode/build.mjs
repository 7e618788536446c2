// Two files for the editor: the extension, and the language client that it loads once it needs it.
import { build } from 'esbuild';

await build({
  entryPoints: ['src/extension.ts', 'src/protocol.ts'], outdir: 'dist', bundle: true, minify: true, sourcemap: false,
  platform: 'node', format: 'cjs', target: 'node20', external: ['vscode', './protocol.js'],
  // An `import()` becomes a `require`, through which the editor hands out its own module.
  supported: { 'dynamic-import': false },
  // Some packages have a form that can be bundled beside the one that cannot.
  mainFields: ['module', 'main'], logLevel: 'warning', legalComments: 'none',
});
