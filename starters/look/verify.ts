import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { isUsableName } from '../../batches/batch-name.ts';
import { findDamaged } from '../../batches/redrive/find-loss.ts';
import { OUTCOMES } from '../../contract/outcomes.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { describeMismatch } from '../../results/verification/mismatch.ts';
import type { DamagedResult } from '../../results/verification/row-check.ts';
import { SUMMARY_FILE } from '../../results/summary.ts';
import { verifyOut, type VerifyReport } from '../../results/verification/verify.ts';
import { damageLines } from '../terminal/damage-words.ts';
import { VoxbatchError } from '../../client/problem.ts';
import { ExitError } from '../exit-error.ts';
import { atLedger } from '../at-ledger.ts';
import { chooseBatch } from '../../client/open-records.ts';
import type { Output } from '../terminal/output.ts';
import { number } from '../terminal/words.ts';
import { rowsInWords } from '../terminal/row-words.ts';
import { outFlag } from '../terminal/out-folder.ts';
import { shortPath } from '../../client/look/path-args.ts';

/**
 * `voxbatch verify [DIR|BATCH]`: checks an out folder from its files alone, without ledger or API. Without an argument
 * it is the folder of the newest batch. Exit code 15 if anything does not add up.
 */
export async function verify(
  given: string | undefined,
  flags: { readonly json?: boolean },
  output: Output,
): Promise<ExitName> {
  const chosen = await chooseFolder(given);
  const found = await verifyOut(chosen.folder);
  // Its summary may have come with the folder, and name a batch `--out=PLACE`, which a command would take for a flag.
  const report = found.batch !== undefined && isUsableName(found.batch) ? found : { ...found, batch: undefined };
  const { wrongMedia, ...facts } = report;
  const inStore = wrongMedia.length === 0 ? undefined : await lookIntoStore(report);
  const damaged = inStore?.damaged ?? [];
  const exit = report.mismatches.length > 0 ? 'mismatch' : 'complete';
  if (flags.json === true) output.data(JSON.stringify({ exit, ...facts, damaged_in_store: damaged }));
  else for (const line of reportLines(report)) output.data(line);
  for (const mismatch of wrongOf(report)) output.say(`DOES NOT ADD UP: ${describeMismatch(mismatch)}`);
  // Everything the store still has, and every table, can be written again. Each wrong medium is one mismatch.
  const lost = wrongMedia.filter(({ row }) => damaged.some((one) => one.row === row)).length;
  for (const name of report.edited) {
    const path = shortPath(join(report.folder, name));
    output.say(`${path} was changed after it was written. If you edited it, run it: voxbatch run ${shellWord(path)}`);
  }
  const write = resultsCommand(report, chosen.batch);
  if (await isUnwritten(report, chosen.batch))
    output.say(`The batch has not ended, so its files are not written yet. To write them as they stand: ${write}`);
  else if (wrongOf(report).length > lost) output.say(`Write the files again: ${write}`);
  else if (report.unfinished > 0)
    output.say(`The batch had not ended when these files were written. To write them as it is now: ${write}`);
  if (inStore !== undefined && report.batch !== undefined)
    for (const line of damageLines(damaged, { batch: report.batch, ...inStore })) output.say(line);
  return exit;
}

/** What does not add up, without what follows from a table of rows that somebody has edited, as one may. */
function wrongOf({ mismatches, edited }: VerifyReport): VerifyReport['mismatches'] {
  return mismatches.filter(({ where }) => !edited.some((name) => where.startsWith(`${name},`)));
}

/** Whether a folder has no summary because its batch has not ended. */
async function isUnwritten({ folder }: VerifyReport, batch: string | undefined): Promise<boolean> {
  if (batch === undefined || existsSync(join(folder, SUMMARY_FILE))) return false;
  return (await findHere(batch))?.state === 'open';
}

/** Which of the wrong media the store of this folder has. Undefined if no ledger here knows the batch. */
async function lookIntoStore(
  report: VerifyReport,
): Promise<
  { readonly store: string; readonly damaged: readonly DamagedResult[]; readonly isRequestRemoved: boolean } | undefined
> {
  try {
    return await atLedger(async (ledger, { store }) => {
      const damaged = await findDamaged(report, { ledger, store });
      const batch = report.batch === undefined ? undefined : await ledger.findBatch(report.batch);
      return damaged && { store, damaged, isRequestRemoved: batch !== undefined && areRowsCleaned(batch) };
    });
  } catch (error) {
    if (error instanceof VoxbatchError || error instanceof ExitError) return undefined;
    throw error;
  }
}

/** The command that writes the files of this folder again. */
function resultsCommand({ folder, batch }: VerifyReport, named: string | undefined): string {
  const name = batch ?? named;
  if (name === undefined) return 'voxbatch results BATCH';
  return `voxbatch results ${shellWord(name)}${outFlag(name, folder)}`;
}

interface ChosenFolder {
  readonly folder: string;
  /** The batch that was named, if any. */
  readonly batch?: string;
}

/** Prefers a folder that holds a summary, then the folder of a batch of that name, then any folder. */
async function chooseFolder(given: string | undefined): Promise<ChosenFolder> {
  if (given === undefined) {
    const batch = await atLedger(async (ledger) => (await chooseBatch(ledger, undefined)).name);
    return { folder: outOf(batch), batch };
  }
  const places = [{ folder: resolve(given) }, { folder: outOf(given), batch: given }];
  const found =
    places.find(({ folder }) => existsSync(join(folder, SUMMARY_FILE))) ??
    places.find(({ folder }) => isFolder(folder));
  if (found !== undefined) return found;
  const batch = (await findHere(given)) === undefined ? 'BATCH' : shellWord(given);
  throw new ExitError(
    'usage',
    `There is nothing to verify: neither ${shortPath(resolve(given))} nor ${shortPath(outOf(given))} is a folder. ` +
      `Give a folder that holds ${SUMMARY_FILE}, or the name of a batch. Write the files of a batch with: voxbatch results ${batch}`,
  );
}

/** The batch of this name in the ledger, if there is one here and it has it. */
async function findHere(name: string): Promise<BatchRecord | undefined> {
  return atLedger((ledger) => ledger.findBatch(name)).catch((error: unknown) => {
    if (error instanceof VoxbatchError || error instanceof ExitError) return undefined;
    throw error;
  });
}

function outOf(batch: string): string {
  return resolve('out', batch);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function reportLines(report: VerifyReport): string[] {
  const { folder, mismatches, edited } = report;
  const found = wrongOf(report).length;
  const parts = OUTCOMES.filter((outcome) => report.outcomes[outcome] > 0).map(
    (outcome) => `${number(report.outcomes[outcome])} ${outcome}`,
  );
  if (report.unfinished > 0) parts.push(`${number(report.unfinished)} unfinished`);
  return [
    `${shortPath(folder)}: ${rowsInWords(report.rows)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}, ${number(report.media)} media ${report.media === 1 ? 'file' : 'files'}, ` +
      `${number(report.charged)} credits charged`,
    found === 0
      ? mismatches.length === 0
        ? 'Everything adds up: hashes, counts, sums, media.'
        : `Everything adds up but ${edited.join(', ')}, which ${edited.length === 1 ? 'was' : 'were'} changed.`
      : `${found} ${found === 1 ? 'thing does' : 'things do'} not add up.`,
  ];
}
