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

/** A file of the tree and the lines in it: those that must break a rule, by its name, and those that are fine. */
interface Planted {
  readonly breaks?: Readonly<Record<string, string>>;
  readonly fine?: readonly string[];
}

const TREE: Readonly<Record<string, Planted>> = {
  'contract/facts.ts': { breaks: { 'contract-is-pure': "import 'node:os';" } },
  'threads/run.ts': {
    breaks: { 'threads-knows-its-neighbours': "import '../contract/facts.ts';" },
    fine: ["import 'node:worker_threads';"],
  },
  'api/speak.ts': {
    breaks: {
      'api-knows-its-neighbours': "import '../ledger/record.ts';",
      '@temporalio/common-has-owners': "import '@temporalio/common';",
      'zod-stands-at-the-doors': "import 'zod';",
      'files-have-owners': "import 'node:fs/promises';",
    },
    fine: ["import '../contract/facts.ts';", "import 'axios';", "import 'node:http';"],
  },
  'ledger/record.ts': {
    breaks: {
      'ledger-knows-its-neighbours': "import '../store/keep.ts';",
      'axios-has-owners': "import 'axios';",
    },
    fine: ["import '../contract/facts.ts';", "import '../threads/run.ts';", "import 'kysely';"],
  },
  'ledger/scan.ts': { breaks: { 'libsql-has-owners': "import 'libsql';" } },
  'ledger/sqlite/open.ts': {
    fine: [
      "import '../record.ts';",
      "import '../../embedded/kernel-lock.ts';",
      "import '../../store/outage.ts';",
      "import 'libsql';",
    ],
  },
  'store/keep.ts': {
    breaks: {
      'store-knows-its-neighbours': "import '../policy/decide.ts';",
      'store-takes-types-only': "import '../contract/facts.ts';",
    },
    fine: ["import 'node:fs';", "import '../threads/run.ts';"],
  },
  'store/outage.ts': { fine: ["import './keep.ts';"] },
  'store/s3/sign.ts': { fine: ["import '@smithy/signature-v4';", "import '@smithy/core';"] },
  'inputs/read.ts': {
    breaks: {
      'inputs-knows-its-neighbours': "import '../workflows/run.ts';",
      'kysely-has-owners': "import 'kysely';",
      'fast-string-truncated-width-has-owners': "import 'fast-string-truncated-width';",
      'no-unresolvable': "import './nowhere.ts';",
    },
    fine: [
      "import './read-line.ts';",
      "import '../contract/facts.ts';",
      "import '../policy/decide.ts';",
      "import 'csv-parse';",
    ],
  },
  'inputs/read-line.ts': { breaks: { 'no-cycles': "import './read.ts';" } },
  'inputs/formula-guard.ts': { fine: ["import 'node:buffer';"] },
  'inputs/left-over.ts': { breaks: { 'no-orphans': 'export {};' } },
  'batches/settle.ts': { fine: ["import '../contract/facts.ts';"] },
  'batches/load.ts': {
    breaks: {
      'batches-knows-its-neighbours': "import '../embedded/find.ts';",
      'batches-takes-types-only': "import '../api/speak.ts';",
    },
    fine: [
      "import '../contract/facts.ts';",
      "import '../policy/decide.ts';",
      "import '../inputs/read.ts';",
      "import '../ledger/record.ts';",
      "import '../store/keep.ts';",
      "import '../results/project.ts';",
    ],
  },
  'embedded/kernel-lock.ts': { fine: ["import 'libsql';"] },
  'policy/decide.ts': {
    breaks: { 'policy-knows-only-the-contract': "import 'node:crypto';" },
    fine: ["import '../contract/facts.ts';"],
  },
  'workflows/run.ts': {
    breaks: { 'workflows-stay-in-the-sandbox': "import '../activities/act.ts';" },
    fine: ["import '../policy/decide.ts';", "import '../contract/facts.ts';", "import '@temporalio/workflow';"],
  },
  'activities/act.ts': {
    breaks: {
      'activities-knows-its-neighbours': "import '../inputs/formula-guard.ts';",
      '@temporalio/workflow-has-owners': "import '@temporalio/workflow';",
      '@temporalio/client-has-owners': "import '@temporalio/client';",
    },
    fine: [
      "import '../api/speak.ts';",
      "import '../ledger/record.ts';",
      "import '../store/keep.ts';",
      "import '../policy/decide.ts';",
      "import '../results/subtitles.ts';",
      "import '../batches/settle.ts';",
      "import '@temporalio/activity';",
    ],
  },
  'worker/wire.ts': {
    breaks: {
      'worker-knows-its-neighbours': "import '../workflows/run.ts';",
      '@temporalio/activity-has-owners': "import '@temporalio/activity';",
    },
    fine: ["import '../batches/load.ts';", "import '../activities/act.ts';", "import '@temporalio/worker';"],
  },
  'embedded/find.ts': {
    breaks: {
      'embedded-knows-its-neighbours': "import '../ledger/record.ts';",
      'children-get-no-secrets': "import 'node:child_process';",
      '@temporalio/worker-has-owners': "import '@temporalio/worker';",
      '@temporalio/envconfig-has-owners': "import '@temporalio/envconfig';",
    },
    fine: ["import '@temporalio/client';", "import '@temporalio/testing';", "import 'libsql';", "import 'zod';"],
  },
  'results/project.ts': {
    breaks: {
      'results-knows-its-neighbours': "import '../inputs/read.ts';",
      'results-takes-types-only': "import '../ledger/record.ts';",
    },
    fine: [
      "import type { Speech } from '../api/speak.ts';",
      "import '../store/keep.ts';",
      "import '../inputs/formula-guard.ts';",
    ],
  },
  'results/subtitles.ts': { fine: ["import '../contract/facts.ts';"] },
  'client/follow.ts': {
    breaks: {
      'client-knows-its-neighbours': "import '../simulator/serve.ts';",
      'client-takes-types-only': "import '../activities/act.ts';",
    },
    fine: ["import '../batches/load.ts';", "import '../worker/wire.ts';", "import '@temporalio/client';"],
  },
  'page/serve.ts': {
    breaks: {
      'page-knows-its-neighbours': "import '../ledger/record.ts';",
      'preact-has-owners': "import 'preact';",
    },
    fine: ["import '../client/follow.ts';"],
  },
  'page/protocol.ts': { fine: ["import '../contract/facts.ts';"] },
  'page/browser/main.ts': {
    breaks: { 'browsers-know-the-protocol': "import '../serve.ts';" },
    fine: ["import '../protocol.ts';", "import '../../contract/facts.ts';", "import 'preact';"],
  },
  'starters/follow.ts': {
    breaks: {
      'starters-knows-its-neighbours': "import '../ledger/record.ts';",
      'fastify-has-owners': "import 'fastify';",
      'csv-parse-has-owners': "import 'csv-parse';",
      'mediabunny-has-owners': "import 'mediabunny';",
      'no-dev-dependency-in-what-ships': "import 'jest';",
      '@temporalio/testing-has-owners': "import '@temporalio/testing';",
    },
    fine: [
      "import '../client/follow.ts';",
      "import '../page/serve.ts';",
      "import '../simulator/serve.ts';",
      "import 'commander';",
      "import 'fast-string-truncated-width';",
    ],
  },
  'simulator/serve.ts': {
    breaks: {
      'simulator-knows-its-neighbours': "import '../api/speak.ts';",
      'commander-has-owners': "import 'commander';",
      '@smithy/signature-v4-has-owners': "import '@smithy/signature-v4';",
      '@smithy/core-has-owners': "import '@smithy/core';",
      '@aws-sdk/credential-provider-node-has-owners': "import '@aws-sdk/credential-provider-node';",
      'nobody-imports-an-executable': "import './main.ts';",
    },
    fine: ["import '../contract/facts.ts';", "import 'fastify';", "import 'mediabunny';"],
  },
  'simulator/main.ts': {},
  'bench/measure.ts': { fine: ["import '../ledger/record.ts';", "import 'axios';"] },
  'test/support/world.ts': { fine: ["import '../../ledger/record.ts';", "import 'fastify';", "import 'jest';"] },
};

const PACKAGES = [
  ...['activity', 'client', 'common', 'envconfig', 'testing', 'worker', 'workflow'].map(
    (name) => `@temporalio/${name}`,
  ),
  ...[
    'axios',
    'commander',
    'csv-parse',
    'fast-string-truncated-width',
    'fastify',
    'kysely',
    'libsql',
    'mediabunny',
    'preact',
  ],
  ...['@smithy/signature-v4', '@smithy/core', '@aws-sdk/credential-provider-node', 'zod'],
];

const configSchema = z.object({ forbidden: z.array(z.object({ name: z.string(), comment: z.string().min(40) })) });
const reportSchema = z.object({
  summary: z.object({ violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })) }),
});

const rules = configSchema.parse(createRequire(import.meta.url)(CONFIG)).forbidden.map(({ name }) => name);
const expected = Object.entries(TREE).flatMap(([file, { breaks = {} }]) =>
  Object.keys(breaks).map((rule) => `${file}: ${rule}`),
);

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
    write(file, [...fine, ...Object.values(breaks)].join('\n'));
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
