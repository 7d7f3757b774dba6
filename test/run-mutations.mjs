/**
 * Mutation testing of what decides about money: `npm run test:mutation`. Stryker changes one thing at a time in the sources below
 * and runs their tests; a change that no test notices has survived and is printed. Arguments choose sources by a part of their path
 * (`npm run test:mutation -- policy ledger/intents`).
 *
 * The tests of a source are named here, because all that come by it would be most of the suite. What was found out is kept
 * in node_modules/.cache, so that the next time only what has changed runs. After each source comes its score; exit code 1 if one
 * is below {@link LOWEST_SCORE}. `MUTATION_WORKERS`: mutants at once, default 2. `TMPDIR=/dev/shm` makes it three times as quick, for
 * the ledger waits for its disk.
 */
import { Stryker } from '@stryker-mutator/core';
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import jest from '../jest.config.mjs';

/** Percent of the mutants of a file that its tests must notice. */
const LOWEST_SCORE = 85;

/** Tests of a policy beside the one that has its name. */
const MORE_OF_POLICY = {
  pacer: ['policy/pacer-property'],
  'row-machine': ['policy/row-story'],
};

/** Source → the tests that must notice a change in it, by room and name; the folder between them is any. */
const SOURCES = {
  ...Object.fromEntries(
    readdirSync('policy', { recursive: true })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => {
        const name = basename(file, '.ts');
        return [`policy/${file}`, [`policy/${name}`, ...(MORE_OF_POLICY[name] ?? [])]];
      }),
  ),
  'api/classify.ts': ['api/classify', 'api/classify-words'],
  'activities/submit.ts': [
    'activities/{submit,submit-steps,fresh-link}',
    'activities/one-charge-{answers,memory,takes}',
  ],
  'activities/send.ts': [
    'activities/{send,submit,submit-steps,retry-until-recorded,record-verdict}',
    'activities/one-charge-kills',
  ],
  'activities/record-verdict.ts': [
    'activities/{submit,send,record-verdict,retry-until-recorded}',
    'activities/one-charge-{answers,takes}',
  ],
  'activities/store-result.ts': ['activities/{store-result,record-verdict,retry-until-recorded,unfit-results}'],
  'activities/reconcile/reconcile.ts': [
    'activities/{reconcile,adopt-lost-job}',
    'activities/one-charge-{kills,memory,races,takes}',
  ],
  'activities/reconcile/recover-answer.ts': [
    'activities/{recover-answer,adopt-lost-job}',
    'activities/one-charge-kills',
  ],
  'activities/lane/work-row.ts': ['activities/one-charge-lanes', 'activities/lane/work-row'],
  'activities/polling/await-job.ts': ['activities/lane/await-job'],
  'batches/redrive/edited-rows.ts': ['batches/edited-rows'],
  'batches/redrive/redrive.ts': ['batches/redrive'],
  'batches/reconcile/settle.ts': ['batches/{settle,settle-unknown,unknown-rows}'],
  'ledger/lanes/lanes.ts': ['ledger/{lanes,rows}', 'activities/one-charge-lanes'],
  'ledger/database/transactions.ts': ['ledger/write-queue'],
  'ledger/database/unit-of-work.ts': ['ledger/unit-of-work'],
  'ledger/money/batch-sums.ts': ['ledger/kept-sums'],
  'ledger/requests/intents.ts': ['ledger/{model,charges,takes,budgets,over-budget,rows}'],
  'ledger/requests/charges.ts': ['ledger/{charges,unresolved,late-news,note-price,taken-jobs,decisions,alike}'],
  'ledger/requests/settle.ts': ['ledger/{charges,unresolved,late-news,note-price,taken-jobs,decisions,alike}'],
  'ledger/requests/job-end.ts': ['ledger/{charges,unresolved,late-news,note-price,taken-jobs,decisions,alike}'],
  'ledger/requests/unresolved.ts': ['ledger/{charges,unresolved}'],
  'ledger/takes/takes.ts': ['ledger/takes'],
  'ledger/takes/redrive.ts': ['ledger/takes'],
  'ledger/money/over-budget.ts': ['ledger/{budgets,over-budget}'],
  'ledger/money/budget-room.ts': ['ledger/{budgets,over-budget}'],
  'ledger/rows/endings.ts': ['ledger/{charges,late-news,takes}'],
};

const gone = Object.keys(SOURCES).filter((source) => !existsSync(source));
if (gone.length > 0) throw new Error(`These sources have another name by now: ${gone.join(', ')}`);
const wanted = process.argv.slice(2);
const chosen = Object.keys(SOURCES).filter(
  (source) => wanted.length === 0 || wanted.some((part) => source.includes(part)),
);
if (chosen.length === 0) {
  console.error(`No source has ${wanted.join(' or ')} in its path; there are ${Object.keys(SOURCES).join(', ')}.`);
  process.exit(2);
}

// Random tests must give the same answer each time, or a mutant would survive by chance; the first failure is enough.
process.env['FC_SEED'] ??= '1';
process.env['FC_RUNS'] ??= '20';
process.env['FC_SHRINK'] ??= 'no';
const unit = jest.projects.find(({ displayName }) => displayName === 'unit');

for (const source of chosen) {
  console.log(`== ${source} ==`);
  const config = {
    ...unit,
    displayName: undefined, // has no place in a configuration without projects
    // Stryker loads each file as Jest itself does, and makes a project of its own of what it changes.
    globalSetup: undefined,
    runtime: undefined,
    transform: {
      '^.+\\.ts$': [
        '@swc/jest',
        { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
      ],
    },
    testEnvironment: 'node', // Stryker finds none of our own, and a process of its runs too few files to need it
    testTimeout: jest.testTimeout,
    testMatch: SOURCES[source].map((test) => `<rootDir>/test/${test.replace('/', '/**/')}.test.ts`),
  };
  const mutants = await new Stryker({
    mutate: [source],
    incrementalFile: `node_modules/.cache/stryker/${source.replaceAll('/', '-')}.json`,
    concurrency: Number(process.env['MUTATION_WORKERS'] ?? 2),
    // Stryker would add what `jest.config.mjs` has; `package.json` has nothing for Jest.
    jest: { projectType: 'custom', configFile: 'package.json', enableFindRelatedTests: false, config },
  }).runMutationTest();
  report(source, mutants);
}

/** Prints the score of a source. */
function report(source, mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const all = noticed + count('Survived', 'NoCoverage');
  const score = all === 0 ? 100 : (100 * noticed) / all;
  const isLow = score < LOWEST_SCORE;
  if (isLow) process.exitCode = 1;
  console.log(`SCORE ${score.toFixed(1).padStart(5)} %  ${source}: ${noticed} of ${all}${isLow ? '  TOO LOW' : ''}`);
}
