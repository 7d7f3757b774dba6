import { resolve } from 'node:path';
import { showComparison, type ComparisonAnswer, type ComparisonView } from '../../client/compare/compare.ts';
import { messageOf } from '../../client/problem.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { snakeCase } from '../../contract/snake-case.ts';
import type { Tolerances } from '../../contract/tolerances.ts';
import { atSession } from '../connect/open-api.ts';
import { unchangedError, usageError, type ExitError } from '../exit-error.ts';
import { shortPath } from '../../client/look/command-args.ts';
import type { Output } from '../terminal/output.ts';
import { comparisonLines } from './comparison-words.ts';

export type CompareFlags = Partial<Tolerances> & {
  readonly out?: string;
  readonly json?: boolean;
};

/** Rows that are named; the file has all. */
const NAMED = 20;
const NAMED_IN_JSON = 100;

const EXITS: Readonly<Record<ComparisonView['verdict'], ExitName>> = {
  parity: 'complete',
  differs: 'failures',
  unfinished: 'goesOn',
};

/** `voxbatch compare BATCH BATCH`: two batches of one manifest side by side. Spends nothing. */
export async function compare(
  names: readonly [string, string],
  { out, json, ...tolerances }: CompareFlags,
  output: Output,
): Promise<ExitName> {
  const table = out === undefined ? undefined : resolve(out);
  const answer = await atSession({}, (session) =>
    showComparison(session, names, tolerances, json === true ? NAMED_IN_JSON : NAMED, table),
  );
  if (answer.type !== 'compared') throw refusalOf(answer, names, table ?? '');
  const { view } = answer;
  const exit = EXITS[view.verdict];
  if (json === true) output.data(JSON.stringify({ exit, ...snakeCase(view) }));
  else for (const line of comparisonLines(view)) output.data(line);
  if (table !== undefined) output.say(`The rows that differ: ${shortPath(table)}`);
  return exit;
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
