/**
 * `npm run build:types`: writes `dist/types/`, the declarations of what the package exports and of all that these name.
 * It takes longer than `npm run build`, and only who installs the package needs it. Types are not checked here;
 * `npm run check` does that.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = import.meta.dirname;
const TYPES = join(ROOT, 'dist', 'types');
const ENTRIES = ['client/index.ts', 'simulator/start-simulator.ts'];
const IMPORT = /((?:from|import\() ?['"])([.][^'"]*)[.]ts(['"])/g;

/** Declarations of all that the entries import, by their path below `dist/types/`. */
function declarations() {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: ENTRIES }, ts.sys, ROOT);
  const emit = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: TYPES,
    stripInternal: true,
    noCheck: true,
  };
  const rootNames = ENTRIES.map((entry) => join(ROOT, entry));
  const program = ts.createProgram({ rootNames, options: { ...options, ...emit } });
  const texts = new Map();
  const { diagnostics } = program.emit(undefined, (file, text) => texts.set(relative(TYPES, file), text));
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));
  return texts;
}

/** Declares Node's own types: since TypeScript 6, a program that does not name them has none. */
const NODE_TYPES = '/// <reference types="node" />\n';

/** Of these, what can be reached from the entries. */
function reachable(texts) {
  const found = new Set(ENTRIES.map((entry) => entry.replace(/ts$/, 'd.ts')));
  for (const file of found) {
    for (const [, , path] of texts.get(file).matchAll(IMPORT)) found.add(join(dirname(file), `${path}.d.ts`));
  }
  return [...found];
}

const texts = declarations();
await rm(TYPES, { recursive: true, force: true });
for (const file of reachable(texts)) {
  await mkdir(dirname(join(TYPES, file)), { recursive: true });
  const text = texts.get(file).replaceAll(IMPORT, '$1$2.js$3');
  const isEntry = ENTRIES.includes(file.replace(/d\.ts$/, 'ts'));
  await writeFile(join(TYPES, file), isEntry ? NODE_TYPES + text : text);
}
