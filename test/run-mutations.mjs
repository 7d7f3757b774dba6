/**
 * Mutation testing of what decides about money: `npm run test:mutation`. Stryker changes one thing at a time in the sources below
 * and runs their tests; a change that no test notices has survived and is printed. Arguments choose groups
 * (`npm run test:mutation -- policy ledger`).
 *
 * The tests of a group are named here, because all that touch its sources would be most of the suite. What was found out is kept
 * in node_modules/.cache, so that the next time only what has changed runs. The last lines are the scores by file; exit code 1 if one
 * is below {@link LOWEST_SCORE}.
 */
import { Stryker } from '@stryker-mutator/core';
import { availableParallelism } from 'node:os';
import jest from '../jest.config.mjs';

/** Percent of the mutants of a file that its tests must notice. */
const LOWEST_SCORE = 85;

/** Group → what is changed, and what must notice. */
const GROUPS = {
  policy: {
    mutate: ['workflows/policy/*.ts'],
    tests: ['workflows/policy/*'],
  },
  classifier: {
    mutate: ['api/classify.ts'],
    tests: ['api/classify{,-words}'],
  },
  activities: {
    mutate: ['activities/submit.ts', 'activities/reconcile.ts', 'activities/record-verdict.ts'],
    tests: ['activities/{one-charge-*,submit,reconcile,record-verdict,look-up-lost}'],
  },
  ledger: {
    mutate: ['ledger/{intents,charges,takes,redrive,budgets,endings}.ts'],
    tests: ['ledger/{charges,takes,budgets,rows,doubt,reopening,late-news,over-budget,model,story}'],
  },
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in GROUPS));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}; expected ${Object.keys(GROUPS).join(', ')}.`);
  process.exit(2);
}

// Random tests must give the same answer each time, or a mutant would survive by chance; the first failure is enough.
process.env['FC_SEED'] ??= '1';
process.env['FC_RUNS'] ??= '20';
process.env['FC_SHRINK'] ??= 'no';
const unit = jest.projects.find(({ displayName }) => displayName === 'unit');
const scores = new Map();

for (const [name, { mutate, tests }] of Object.entries(GROUPS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`== ${name} ==`);
  const config = {
    ...unit,
    displayName: undefined, // has no place in a configuration without projects
    testTimeout: jest.testTimeout,
    testMatch: tests.map((one) => `<rootDir>/test/${one}.test.ts`),
  };
  const mutants = await new Stryker({
    mutate,
    incrementalFile: `node_modules/.cache/stryker/${name}.json`,
    concurrency: Number(process.env['MUTATION_WORKERS'] ?? Math.min(2, availableParallelism())),
    jest: { projectType: 'custom', enableFindRelatedTests: false, config },
  }).runMutationTest();
  for (const { fileName, status } of mutants) count(fileName, status);
}
report();

function count(file, status) {
  const score = scores.get(file) ?? { noticed: 0, missed: 0 };
  if (status === 'Killed' || status === 'Timeout') score.noticed += 1;
  if (status === 'Survived' || status === 'NoCoverage') score.missed += 1;
  scores.set(file, score);
}

function report() {
  for (const [file, { noticed, missed }] of [...scores].sort()) {
    const score = (100 * noticed) / (noticed + missed);
    const isLow = score < LOWEST_SCORE;
    if (isLow) process.exitCode = 1;
    console.log(
      `${score.toFixed(1).padStart(5)} %  ${file}: ${noticed} of ${noticed + missed}${isLow ? '  TOO LOW' : ''}`,
    );
  }
}
