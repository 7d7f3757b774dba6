/** @slow */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { freshFolder } from '../support/fresh-folder.ts';

/**
 * Every import rule is broken once on purpose, in a small tree of its own, and must be the one that fires. That the real
 * tree is clean is what `npm run check` says.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONFIG = join(ROOT, '.dependency-cruiser.cjs');
const CRUISE = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** A file of the tree and what it imports (or its line, if that is another): what must break a rule, by its name, and what is fine. */
interface Planted {
  readonly breaks?: Readonly<Record<string, string>>;
  readonly fine?: readonly string[];
}

const TREE: Readonly<Record<string, Planted>> = {
  'contract/facts.ts': { breaks: { 'contract-is-pure': 'node:os' } },
  'threads/run.ts': {
    breaks: { 'threads-knows-its-neighbours': '../contract/facts.ts' },
    fine: ['node:worker_threads'],
  },
  'api/speak.ts': {
    breaks: {
      'api-knows-its-neighbours': '../ledger/record.ts',
      '@temporalio/common-has-owners': '@temporalio/common',
      'zod-stands-at-the-doors': 'zod',
      'files-have-owners': 'node:fs/promises',
    },
    fine: ['../contract/facts.ts', 'axios', 'node:http'],
  },
  'ledger/record.ts': {
    breaks: {
      'ledger-knows-its-neighbours': '../store/keep.ts',
      'axios-has-owners': 'axios',
    },
    fine: ['../contract/facts.ts', '../threads/run.ts', 'kysely'],
  },
  'ledger/scan.ts': { breaks: { 'libsql-has-owners': 'libsql' } },
  'ledger/sqlite/open.ts': {
    fine: ['../record.ts', '../../embedded/kernel-lock.ts', '../../store/outage.ts', 'libsql'],
  },
  'store/keep.ts': {
    breaks: {
      'store-knows-its-neighbours': '../policy/decide.ts',
      'store-takes-types-only': '../contract/facts.ts',
    },
    fine: ['node:fs', '../threads/run.ts'],
  },
  'store/outage.ts': { fine: ['./keep.ts'] },
  'store/s3/sign.ts': { fine: ['@smithy/signature-v4', '@smithy/core'] },
  'inputs/read.ts': {
    breaks: {
      'inputs-knows-its-neighbours': '../workflows/run.ts',
      'kysely-has-owners': 'kysely',
      'fast-string-truncated-width-has-owners': 'fast-string-truncated-width',
      'no-unresolvable': './nowhere.ts',
    },
    fine: ['./read-line.ts', '../contract/facts.ts', '../policy/decide.ts', 'csv-parse'],
  },
  'inputs/read-line.ts': { breaks: { 'no-cycles': './read.ts' } },
  'inputs/formula-guard.ts': { fine: ['node:buffer'] },
  'inputs/left-over.ts': { breaks: { 'no-orphans': 'export {};' } },
  'batches/settle.ts': { fine: ['../contract/facts.ts'] },
  'batches/load.ts': {
    breaks: {
      'batches-knows-its-neighbours': '../embedded/find.ts',
      'batches-takes-types-only': '../api/speak.ts',
    },
    fine: [
      '../contract/facts.ts',
      '../policy/decide.ts',
      '../inputs/read.ts',
      '../ledger/record.ts',
      '../store/keep.ts',
      '../results/project.ts',
    ],
  },
  'embedded/kernel-lock.ts': { fine: ['libsql'] },
  'policy/decide.ts': {
    breaks: { 'policy-knows-only-the-contract': 'node:crypto' },
    fine: ['../contract/facts.ts'],
  },
  'workflows/run.ts': {
    breaks: { 'workflows-stay-in-the-sandbox': '../activities/act.ts' },
    fine: ['../policy/decide.ts', '../contract/facts.ts', '@temporalio/workflow'],
  },
  'activities/act.ts': {
    breaks: {
      'activities-knows-its-neighbours': '../inputs/formula-guard.ts',
      '@temporalio/workflow-has-owners': '@temporalio/workflow',
      '@temporalio/client-has-owners': '@temporalio/client',
    },
    fine: [
      '../api/speak.ts',
      '../ledger/record.ts',
      '../store/keep.ts',
      '../policy/decide.ts',
      '../results/subtitles.ts',
      '../batches/settle.ts',
      '@temporalio/activity',
    ],
  },
  'worker/wire.ts': {
    breaks: {
      'worker-knows-its-neighbours': '../workflows/run.ts',
      '@temporalio/activity-has-owners': '@temporalio/activity',
    },
    fine: ['../batches/load.ts', '../activities/act.ts', '@temporalio/worker'],
  },
  'embedded/find.ts': {
    breaks: {
      'embedded-knows-its-neighbours': '../ledger/record.ts',
      'children-get-no-secrets': 'node:child_process',
      '@temporalio/worker-has-owners': '@temporalio/worker',
      '@temporalio/envconfig-has-owners': '@temporalio/envconfig',
    },
    fine: ['@temporalio/client', '@temporalio/testing', 'libsql', 'zod'],
  },
  'results/project.ts': {
    breaks: {
      'results-knows-its-neighbours': '../inputs/read.ts',
      'results-takes-types-only': '../ledger/record.ts',
    },
    fine: ["import type { Speech } from '../api/speak.ts';", '../store/keep.ts', '../inputs/formula-guard.ts'],
  },
  'results/subtitles.ts': { fine: ['../contract/facts.ts'] },
  'client/follow.ts': {
    breaks: {
      'client-knows-its-neighbours': '../simulator/serve.ts',
      'client-takes-types-only': '../activities/act.ts',
    },
    fine: ['../batches/load.ts', '../worker/wire.ts', '@temporalio/client'],
  },
  'page/serve.ts': {
    breaks: {
      'page-knows-its-neighbours': '../ledger/record.ts',
      'preact-has-owners': 'preact',
    },
    fine: ['../client/follow.ts'],
  },
  'page/protocol.ts': { fine: ['../contract/facts.ts'] },
  'page/browser/main.ts': {
    breaks: { 'browsers-know-the-protocol': '../serve.ts' },
    fine: ['../protocol.ts', '../../contract/facts.ts', 'preact'],
  },
  'starters/follow.ts': {
    breaks: {
      'starters-knows-its-neighbours': '../ledger/record.ts',
      'fastify-has-owners': 'fastify',
      'csv-parse-has-owners': 'csv-parse',
      'mediabunny-has-owners': 'mediabunny',
      'no-dev-dependency-in-what-ships': 'jest',
      '@temporalio/testing-has-owners': '@temporalio/testing',
    },
    fine: [
      '../client/follow.ts',
      '../page/serve.ts',
      '../simulator/serve.ts',
      'commander',
      'fast-string-truncated-width',
    ],
  },
  'simulator/serve.ts': {
    breaks: {
      'simulator-knows-its-neighbours': '../api/speak.ts',
      'commander-has-owners': 'commander',
      '@smithy/signature-v4-has-owners': '@smithy/signature-v4',
      '@smithy/core-has-owners': '@smithy/core',
      '@aws-sdk/credential-provider-node-has-owners': '@aws-sdk/credential-provider-node',
      'nobody-imports-an-executable': './main.ts',
    },
    fine: ['../contract/facts.ts', 'fastify', 'mediabunny'],
  },
  'simulator/main.ts': {},
  'bench/measure.ts': { fine: ['../ledger/record.ts', 'axios'] },
  'test/support/world.ts': { fine: ['../../ledger/record.ts', 'fastify', 'jest'] },
};

/** Every package that a file of the tree imports. */
const PACKAGES = [
  ...new Set(
    Object.values(TREE)
      .flatMap(({ breaks = {}, fine = [] }) => [...Object.values(breaks), ...fine])
      .filter((text) => /^@?[a-z]/.test(text) && !/^node:|^jest$| /.test(text)),
  ),
];

const configSchema = z.object({ forbidden: z.array(z.object({ name: z.string(), comment: z.string().min(40) })) });
const reportSchema = z.object({
  summary: z.object({ violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })) }),
});

const rules = configSchema.parse(createRequire(import.meta.url)(CONFIG)).forbidden.map(({ name }) => name);
const expected = Object.entries(TREE).flatMap(([file, { breaks = {} }]) =>
  Object.keys(breaks).map((rule) => `${file}: ${rule}`),
);

const lineOf = (text: string): string => (text.includes(' ') ? text : `import '${text}';`);

let folder: string;
let found: readonly string[];

function write(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

beforeAll(async () => {
  folder = freshFolder();
  const dependencies = Object.fromEntries(PACKAGES.map((name) => [name, '1.0.0']));
  write('package.json', JSON.stringify({ type: 'module', dependencies, devDependencies: { jest: '1.0.0' } }));
  write('tsconfig.json', JSON.stringify({ compilerOptions: { module: 'nodenext', allowImportingTsExtensions: true } }));
  for (const name of [...PACKAGES, 'jest']) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
    write(`node_modules/${name}/index.js`, '');
  }
  for (const [file, { breaks = {}, fine = [] }] of Object.entries(TREE)) {
    write(file, [...fine, ...Object.values(breaks)].map(lineOf).join('\n'));
  }
  const rooms = [...new Set(Object.keys(TREE).map((file) => file.split('/')[0] ?? file))];
  const args = [CRUISE, '--config', CONFIG, '--output-type', 'json', ...rooms];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 64 * 2 ** 20 });
  const { violations } = reportSchema.parse(JSON.parse(stdout)).summary;
  found = violations.map(({ from, rule }) => `${from}: ${rule.name}`);
}, 300_000);

describe('the import rules', () => {
  it('are all broken by a line of this test, each once', () => {
    expect(expected.map((line) => line.replace(/^.*: /, '')).sort()).toEqual([...rules].sort());
  });

  it('fire where they are broken, and nowhere else', () => expect([...found].sort()).toEqual([...expected].sort()));
});
