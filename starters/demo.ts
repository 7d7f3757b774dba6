/**
 * `npm run demo`: the main job from beginning to end, without an account. It starts the simulator with a few planned
 * faults, runs `inputs/examples/demo.csv` against it as a user would, and checks against the simulator's own count of
 * charges that everything ended as it should.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT_CODES } from '../contract/exit-codes.ts';
import { shellWord } from '../contract/shell-word.ts';
import type { LedgerEntry } from '../simulator/charge-ledger.ts';
import type { FaultPlan } from '../simulator/fault-plan.ts';
import { startSimulator } from '../simulator/start-simulator.ts';
import { main } from './main.ts';

/** The package's folder as seen from this file: from its source, or from `dist/`. */
const UP = import.meta.url.endsWith('.ts') ? '..' : '../..';
const MANIFEST = fileURLToPath(new URL(`${UP}/inputs/examples/demo.csv`, import.meta.url));
const OUT = join('out', 'demo');
const HOME = join(process.env['VOXBATCH_HOME'] ?? '.voxbatch', 'demo');
/** The demo's empty config file, by which a later demo recognises the folder as its own and may remove it. */
const MARKER = join(HOME, 'no-settings.json');

/** What goes wrong in the demo, and how each must end. */
const FAULTS: FaultPlan = {
  rules: [
    { on: 'create', match: { every: 9 }, fault: { kind: 'status', status: 429, retryAfter: 1 }, times: 2 },
    {
      on: 'create',
      operation: 'speech-job',
      match: { text: 'Nobody has this voice' },
      fault: { kind: 'status', status: 400 },
    },
    { on: 'create', operation: 'speech-job', match: { text: 'answer gets lost' }, fault: 'reset-after' },
    { on: 'create', operation: 'speech-job', match: { text: 'provider gives up' }, fault: 'job-fails' },
    { on: 'download', match: { nth: 3 }, fault: 'cut', times: 1 },
    { on: 'download', match: { nth: 6 }, fault: 'dead-link', times: 1 },
  ],
};
const EXPECTED_ENDS = { failed: 2, unknown: 1 } as const;

/** Runs the demo; returns the exit code. */
async function demo(): Promise<number> {
  if (isHomeOfOthers()) {
    say(
      `${HOME} is not of an earlier demo, which is removed here. Nothing was changed. Move it, or set VOXBATCH_HOME.`,
    );
    return EXIT_CODES.usage.code;
  }
  await Promise.all([rm(OUT, { recursive: true, force: true }), rm(HOME, { recursive: true, force: true })]);
  await isolateSettings();
  const simulator = await startSimulator({ seed: 7, plan: FAULTS, createMs: [20, 80], jobMs: [1_000, 4_000] });
  Object.assign(process.env, { VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: simulator.token });
  say(
    'The demo runs inputs/examples/demo.csv against a simulator of the API: no account, no money. A few things go wrong on purpose.\n',
  );
  try {
    const code = await main(['run', MANIFEST, '--out', OUT, '--yes']);
    // A run that could not start, or ended early, has printed why.
    if (!ENDED.includes(code)) return code;
    const deviations = findDeviations(await readFile(join(OUT, 'results.jsonl'), 'utf8'), simulator.ledger());
    for (const line of deviations) say(`NOT AS IT SHOULD BE: ${line}`);
    const isExpectedCode = code === EXIT_CODES.unknown.code;
    if (deviations.length > 0 || !isExpectedCode)
      return isExpectedCode || code === EXIT_CODES.complete.code ? EXIT_CODES.internal.code : code;
    say(EXPLANATION);
    return 0;
  } finally {
    await simulator.close();
  }
}

/** Codes of a run whose rows have all ended. */
const ENDED: readonly number[] = [
  EXIT_CODES.complete.code,
  EXIT_CODES.failures.code,
  EXIT_CODES.unknown.code,
  EXIT_CODES.mismatch.code,
];

/** Whether the home has files that no demo has made. */
function isHomeOfOthers(): boolean {
  return existsSync(HOME) && !existsSync(MARKER) && readdirSync(HOME).length > 0;
}

/** Keeps the user's settings out of the demo (cluster, ledger, prices), except the path of the server's program. */
async function isolateSettings(): Promise<void> {
  for (const name of Object.keys(process.env)) {
    const isOurs = name.startsWith('TEMPORAL_') || name.startsWith('VOXBATCH_');
    if (isOurs && name !== 'VOXBATCH_TEMPORAL_CLI') Reflect.deleteProperty(process.env, name);
  }
  const profile = join(HOME, 'no-cluster.toml');
  await mkdir(HOME, { recursive: true, mode: 0o700 });
  await Promise.all([writeFile(MARKER, '{}\n'), writeFile(profile, '[profile.default]\n')]);
  Object.assign(process.env, { VOXBATCH_HOME: HOME, VOXBATCH_CONFIG: MARKER, TEMPORAL_CONFIG_FILE: profile });
}

/**
 * Returns what differs from the plan: outcomes, double charges, and the sum of charges against the simulator's count.
 */
function findDeviations(results: string, charges: readonly LedgerEntry[]): string[] {
  const rows = results
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { _outcome: string; _credits: number });
  const count = (outcome: string): number => rows.filter((row) => row._outcome === outcome).length;
  const deviations: string[] = [];
  for (const [outcome, expected] of Object.entries(EXPECTED_ENDS)) {
    if (count(outcome) !== expected)
      deviations.push(`${String(count(outcome))} rows ${outcome}, expected ${String(expected)}`);
  }
  const succeeded = rows.length - EXPECTED_ENDS.failed - EXPECTED_ENDS.unknown;
  if (count('succeeded') !== succeeded)
    deviations.push(`${String(count('succeeded'))} rows succeeded, expected ${String(succeeded)}`);
  const keys = charges.map((charge) => charge.idempotencyKey);
  if (new Set(keys).size !== keys.length) deviations.push('the simulator charged something twice');
  const ours = rows.reduce((sum, row) => sum + row._credits, 0);
  // The charge whose answer was lost is in no result: its row is unknown.
  const theirs = charges
    .filter((charge) => charge.answered === 'sent')
    .reduce((sum, charge) => sum + charge.credits, 0);
  if (ours !== theirs)
    deviations.push(`the results say ${String(ours)} credits, the simulator charged ${String(theirs)}`);
  return deviations;
}

const EXPLANATION = `
This is the expected end:
  - One row failed because its voice does not exist (not charged), one because its job failed at the provider.
  - One answer was lost. That row may have been charged, so it is "unknown", and voxbatch does not send it again on its own.
    Such rows are in out/demo/unknown.csv; a real run then exits with 13.
  - voxbatch recovered from two refusals (429), a cut download and a dead link without paying again.
  - The simulator counted the charges: none was made twice.

Look around: out/demo/results.csv (a line per row), out/demo/media/, out/demo/receipts.jsonl, out/demo/summary.json. In this folder, after "npm link":
  VOXBATCH_HOME=${shellWord(HOME)} voxbatch status demo
  VOXBATCH_HOME=${shellWord(HOME)} voxbatch explain lost --batch demo
The commands in the summary above are for real batches; the simulator of this one has stopped.

With a real account:
  export VOXBATCH_API_URL=https://HOST/api/open/v1 VOXBATCH_API_TOKEN=...
  voxbatch init tts              # an example manifest
  voxbatch plan tts.csv          # validates it and estimates its cost; spends nothing
  voxbatch run tts.csv`;

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

process.exitCode = await demo();
