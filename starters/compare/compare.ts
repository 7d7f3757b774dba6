import { messageOf } from '../../contract/message-of.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import { resolve } from 'node:path';
import { showComparison, type ComparisonAnswer, type ComparisonView } from '../../client/compare/compare.ts';
import { viewExit, type ExitName } from '../../contract/exit-codes.ts';
import { defined } from '../../contract/defined.ts';
import type { CompareFlags } from './compare-dialects.ts';
import { flagOf } from '../terminal/tunable-words.ts';
import { withSession } from '../connect/connect-api.ts';
import { unchangedError, usageError, type ExitError } from '../exit-error.ts';
import { shortPath } from '../../client/status/continue-command.ts';
import { comparisonLines } from './comparison-words.ts';

/** Rows that are listed; the file of `--out` has all. */
const MAX_ROWS = 20;
const MAX_ROWS_IN_JSON = 100;

const EXITS: Readonly<Record<ComparisonView['verdict'], ExitName>> = {
  parity: 'complete',
  differs: 'failures',
  unfinished: 'unfinished',
};

/**
 * `voxbatch compare [BATCH BATCH]`: compares two batches of one manifest, or without batches the account in both
 * dialects of the API. Spends nothing.
 */
export async function compare(
  one: string | undefined,
  other: string | undefined,
  flags: CompareFlags,
  context: RunContext,
): Promise<ExitName> {
  if (one === undefined) {
    refuseFlags(['length', 'words', 'rows', 'credits', 'latency', 'out'], flags, 'needs two batches');
    const { compareAccount } = await import('./compare-dialects.ts');
    return compareAccount(flags, context);
  }
  if (other === undefined)
    throw usageError(`Compare "${one}" with which batch? Name two, or none to compare the dialects of the API.`);
  refuseFlags(['jobs', 'pollRate', 'apiUrl'], flags, 'is for a comparison without batches');
  const { output } = context;
  const { out, json, length, words, rows, credits, latency } = flags;
  const tolerances = defined({ length, words, rows, credits, latency });
  const names = [one, other] as const;
  const table = out === undefined ? undefined : resolve(out);
  const answer = await withSession({}, (session) =>
    showComparison(session, names, tolerances, json === true ? MAX_ROWS_IN_JSON : MAX_ROWS, table),
  );
  if (answer.type !== 'compared') throw refusalOf(answer, names, table ?? '');
  const { view } = answer;
  // A paused batch does not end by itself, so waiting for it would not help.
  const isPaused = view.verdict === 'unfinished' && view.batches.some(({ paused }) => paused);
  const exit = isPaused ? 'paused' : EXITS[view.verdict];
  printAnswer(output, { json }, { ...viewExit(exit), ...view }, () => comparisonLines(view));
  if (table !== undefined) output.say(`The rows that differ: ${shortPath(table)}`);
  return exit;
}

/** Throws for flags that only the other kind of comparison has. */
function refuseFlags(names: readonly (keyof CompareFlags)[], flags: CompareFlags, why: string): void {
  for (const name of names) if (flags[name] !== undefined) throw usageError(`${flagOf(name)} ${why}.`);
}

/** Returns the error for batches that cannot be compared, or a file of `--out` that cannot be written. */
function refusalOf(
  answer: Exclude<ComparisonAnswer, { readonly type: 'compared' }>,
  [one, other]: readonly [string, string],
  table: string,
): ExitError {
  switch (answer.type) {
    case 'unrelated':
      return usageError(`No row of "${one}" is in "${other}": neither their ids nor what they ask for are the same.`);
    case 'table-taken':
      return unchangedError(`${shortPath(table)} is another file, which --out would overwrite. Name a new one.`);
    case 'table-unwritable':
      return usageError(
        `${shortPath(table)} cannot be written: ${messageOf(answer.cause)}. Name another file with --out.`,
      );
  }
}
