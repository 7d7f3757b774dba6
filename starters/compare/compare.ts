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
import { shortPath } from '../../client/look/continue-command.ts';
import { comparisonLines } from './comparison-words.ts';

/** Rows that are named; the file has all. */
const NAMED = 20;
const NAMED_IN_JSON = 100;

const EXITS: Readonly<Record<ComparisonView['verdict'], ExitName>> = {
  parity: 'complete',
  differs: 'failures',
  unfinished: 'unfinished',
};

/**
 * `voxbatch compare [BATCH BATCH]`: two batches of one manifest, or the account in both dialects, side by side. Spends
 * nothing.
 */
export async function compare(
  one: string | undefined,
  other: string | undefined,
  flags: CompareFlags,
  context: RunContext,
): Promise<ExitName> {
  if (one === undefined) {
    refuse(['length', 'words', 'rows', 'credits', 'latency', 'out'], flags, 'needs two batches');
    const { compareAccount } = await import('./compare-dialects.ts');
    return compareAccount(flags, context);
  }
  if (other === undefined)
    throw usageError(`Compare "${one}" with which batch? Name two, or none to compare the dialects of the API.`);
  refuse(['jobs', 'pollRate', 'apiUrl'], flags, 'is for a comparison without batches');
  const { output } = context;
  const { out, json, length, words, rows, credits, latency } = flags;
  const tolerances = defined({ length, words, rows, credits, latency });
  const names = [one, other] as const;
  const table = out === undefined ? undefined : resolve(out);
  const answer = await withSession({}, (session) =>
    showComparison(session, names, tolerances, json === true ? NAMED_IN_JSON : NAMED, table),
  );
  if (answer.type !== 'compared') throw refusalOf(answer, names, table ?? '');
  const { view } = answer;
  // A batch that is paused does not end by itself.
  const isStill = view.verdict === 'unfinished' && view.batches.some(({ paused }) => paused);
  const exit = isStill ? 'paused' : EXITS[view.verdict];
  printAnswer(output, { json }, { ...viewExit(exit), ...view }, () => comparisonLines(view));
  if (table !== undefined) output.say(`The rows that differ: ${shortPath(table)}`);
  return exit;
}

/** Refuses flags of the one use that make no sense in the other. */
function refuse(names: readonly (keyof CompareFlags)[], flags: CompareFlags, why: string): void {
  for (const name of names) if (flags[name] !== undefined) throw usageError(`${flagOf(name)} ${why}.`);
}

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
