/**
 * The benchmark of reliability: voxbatch and the usual patterns run the same batch against the same faulty API, and are
 * killed at the same points. `npm run bench`; see USAGE in options.ts. The simulated API's own ledger says what each
 * was charged.
 */
import { availableParallelism, totalmem } from 'node:os';
import { env } from 'node:process';
import { findServer } from '../embedded/find-server.ts';
import { CONTESTANTS } from './contestants.ts';
import { judge, type Score } from './judge.ts';
import { readOptions } from './options.ts';
import { ratiosOf, tableOf } from './print-scores.ts';
import { makeRows, planFaults } from './rows.ts';
import { TestBed } from './test-bed.ts';

const options = readOptions(process.argv.slice(2), Object.keys(CONTESTANTS));
const say = (line: string): void => {
  console.error(line);
};
env['VOXBATCH_TEMPORAL_CLI'] = (await findServer({ env, say })).path;

const faults = planFaults(makeRows(options.rows), options.seed).rules.length;
console.log(
  `${options.rows} rows, ${faults} answers lost or late, ${options.kills} SIGKILLs of the worker, the API takes ` +
    `${options.rate} requests a second, seed ${options.seed}; ${availableParallelism()} cores, ` +
    `${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}\n`,
);
const scores: Score[] = [];
for (const [name, { label, run }] of Object.entries(CONTESTANTS)) {
  if (options.only.length > 0 && !options.only.includes(name)) continue;
  say(`${name}: ${label} …`);
  const testBed = await TestBed.create(options);
  try {
    const begun = performance.now();
    const account = await run(testBed, options.seconds * 1_000);
    const score = judge(name, testBed.rows, account, testBed.charges(), (performance.now() - begun) / 1_000);
    scores.push(score);
    if (!score.isOver || score.lost > 0) say(await testBed.logTail());
  } finally {
    await testBed.close();
  }
}
console.log(`${tableOf(scores)}\n\n${ratiosOf(scores)}`);
