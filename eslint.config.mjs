import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/', '*.mjs', '**/*.cjs', '.*.cjs'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // What is left of such an import still loads the module.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  {
    // Texts come from the API, from manifests and from files: an expression that takes more than linear time lets them
    // stop us.
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false }],
    },
  },
  {
    files: ['{policy,workflows}/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'MetaProperty', message: 'Workflow code has no import.meta: it runs in the sandbox.' },
        {
          selector: 'Program > VariableDeclaration[kind=/^(let|var)$/]',
          message: 'State that must survive continue-as-new is passed on visibly, not kept in a module.',
        },
      ],
    },
  },
  {
    files: ['batches/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'console', message: 'This room prints nothing: return a typed answer and let the caller say it.' },
        { name: 'process', message: 'This room asks nobody and ends nothing: take what it needs as an argument.' },
      ],
    },
  },
  {
    // Prettier wraps code, and leaves comments as they are. `code`: more than any line has.
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs'],
    ignores: ['test/**'],
    rules: { 'max-len': ['error', { code: 10_000, comments: 120, ignoreUrls: true }] },
  },
  // What a view is called and what it holds is said once, where it is made.
  { files: ['client/**/*-view.ts'], rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' } },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/require-await': 'off',
      // A test that is one expectation is one expression.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: Object.fromEntries(
        ['console', 'fetch', 'performance', 'process', 'setTimeout', 'URL', 'URLSearchParams'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
);
