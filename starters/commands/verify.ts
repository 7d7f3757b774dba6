import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OUTCOMES } from '../../contract/outcomes.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { describeMismatch } from '../../results/mismatch.ts';
import { SUMMARY_FILE } from '../../results/summary.ts';
import { verifyOut, type VerifyReport } from '../../results/verify.ts';
import { ExitError } from '../exit-error.ts';
import { lookAtLedger } from '../look-at.ts';
import { chooseBatch } from '../open-records.ts';
import type { Output } from '../terminal/output.ts';
import { number } from '../terminal/progress.ts';
import { shortPath } from '../terminal/summary.ts';

/**
 * `voxbatch verify [DIR|BATCH]`: checks an out folder from its files alone, without ledger or API. Without an argument it is
 * the folder of the newest batch. Exit code 15 if anything does not add up.
 */
export async function verify(
  given: string | undefined,
  flags: { readonly json?: boolean },
  output: Output,
): Promise<ExitName> {
  const report = await verifyOut(await chooseFolder(given));
  const exit = report.mismatches.length > 0 ? 'mismatch' : 'complete';
  if (flags.json === true) output.data(JSON.stringify({ exit, ...report }));
  else for (const line of reportLines(report)) output.data(line);
  for (const mismatch of report.mismatches) output.say(`DOES NOT ADD UP: ${describeMismatch(mismatch)}`);
  return exit;
}

/** A folder that holds a summary comes first, then the folder of a batch of that name, then any folder. */
async function chooseFolder(given: string | undefined): Promise<string> {
  if (given === undefined) return lookAtLedger(async (ledger) => outOf((await chooseBatch(ledger, undefined)).name));
  const places = [resolve(given), outOf(given)];
  const found = places.find((place) => existsSync(join(place, SUMMARY_FILE))) ?? places.find(isFolder);
  if (found !== undefined) return found;
  throw new ExitError(
    'usage',
    `There is nothing to verify: neither ${shortPath(resolve(given))} nor ${shortPath(outOf(given))} is a folder. ` +
      `Expected a folder that holds ${SUMMARY_FILE}, or the name of a batch. The files of a batch are written by: voxbatch results BATCH`,
  );
}

function outOf(batch: string): string {
  return resolve('out', batch);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function reportLines(report: VerifyReport): string[] {
  const { folder, mismatches } = report;
  const found = mismatches.length;
  const parts = OUTCOMES.filter((outcome) => report.outcomes[outcome] > 0).map(
    (outcome) => `${number(report.outcomes[outcome])} ${outcome}`,
  );
  if (report.unfinished > 0) parts.push(`${number(report.unfinished)} unfinished`);
  return [
    `${shortPath(folder)}: ${number(report.rows)} rows (${parts.join(', ')}), ${number(report.media)} media files, ` +
      `${number(report.charged)} credits charged`,
    found === 0
      ? 'Everything adds up: hashes, counts, sums, media.'
      : `${found} ${found === 1 ? 'thing does' : 'things do'} not add up.${report.batch === undefined ? '' : ` Write the files again: voxbatch results ${report.batch}`}`,
  ];
}
