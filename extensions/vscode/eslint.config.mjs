// The strict rules with types; what they forbid is changed in the code, not here.
import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import typescript from 'typescript-eslint';

export default defineConfig(
  { ignores: ['dist', 'node_modules', 'build.mjs', 'eslint.config.mjs', 'vitest.config.mjs'] },
  eslint.configs.recommended, typescript.configs.strictTypeChecked, typescript.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // `vscode.Disposable` is a class that the editor's own API uses as an interface.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Numbers read well in a text.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
    },
  },
);
