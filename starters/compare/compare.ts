import { resolve } from 'node:path';
import type { UnlikeRow } from '../../batches/compare/compare-batches.ts';
import { isDiskTrouble } from '../../client/before-work.ts';
import { compareHere } from '../../client/compare/compare.ts';
import { messageOf } from '../../client/problem.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { ParityVerdict, Tolerances } from '../../policy/compare/judge-parity.ts';
import { DifferenceTable, isOurTable } from '../../results/compare/difference-table.ts';
import { codeOf } from '../../results/system-errors.ts';
import { atLedger } from '../at-ledger.ts';
import { unchangedError, usageError } from '../exit-error.ts';
import type { Output } from '../terminal/output.ts';
import { shortPath } from '../../client/look/command-args.ts';
import { comparisonJson } from './comparison-json.ts';
import { comparisonLines } from './comparison-words.ts';
import { differenceLine } from './difference-line.ts';

export type CompareFlags = { readonly [Name in keyof Tolerances]?: Tolerances[Name] } & {
  readonly out?: string;
  readonly json?: boolean;
};

/** Rows that are named; the file has all. */
const NAMED = 20;
const NAMED_IN_JSON = 100;

const EXITS: Readonly<Record<ParityVerdict, ExitName>> = {
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
  return atLedger<ExitName>(async (ledger, settings) => {
    const table = out === undefined ? undefined : await openTable(resolve(out));
    const named: UnlikeRow[] = [];
    const most = json === true ? NAMED_IN_JSON : NAMED;
    try {
      const found = await compareHere(ledger, settings, names, {
        tolerances,
        onRow: async (row) => {
          if (named.length < most) named.push(row);
          await table?.add(differenceLine(row));
        },
      });
      if (found.rows.compared + found.rows.notRun + found.rows.open === 0)
        throw usageError(
          `No row of "${names[0]}" is in "${names[1]}": neither their ids nor what they ask for are the same.`,
        );
      await table?.publish();
      const exit = EXITS[found.verdict];
      if (json === true) output.data(JSON.stringify({ exit, ...comparisonJson(found, named) }));
      else for (const line of comparisonLines(found, named)) output.data(line);
      if (out !== undefined) output.say(`The rows that differ: ${shortPath(resolve(out))}`);
      return exit;
    } finally {
      await table?.abandon();
    }
  });
}

async function openTable(path: string): Promise<DifferenceTable> {
  try {
    if (await isOurTable(path)) return await DifferenceTable.create(path);
  } catch (error) {
    if (codeOf(error) === '' || isDiskTrouble(error)) throw error;
    throw usageError(`${shortPath(path)} cannot be written: ${messageOf(error)}. Name another file with --out.`);
  }
  throw unchangedError(`${shortPath(path)} is another file, which --out would overwrite. Name a new one.`);
}
