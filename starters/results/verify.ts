import { printAnswer, type RunContext } from '../terminal/output.ts';
import { nextCommand, shellWord } from '../../contract/shell-word.ts';
import { join } from 'node:path';
import { shortPath } from '../../client/status/continue-command.ts';
import { viewVerified } from '../../client/results/files-view.ts';
import { verify as verifyFolder, type NoFolder, type Verified } from '../../client/results/verify.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { OUTCOMES } from '../../contract/outcomes.ts';
import { readSettings } from '../connect/settings.ts';
import { ExitError } from '../exit-error.ts';
import { commandLine, rowsInWords, form, number, plural } from '../terminal/words.ts';
import { damageLines } from '../terminal/file-words.ts';

/**
 * `voxbatch verify [DIR|BATCH]`: checks an out folder by its files alone, without the API. Without an argument it
 * checks the folder of the newest batch. Exit code 15 if hashes, counts, sums or media are wrong.
 */
export async function verify(given: string | undefined, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const answer = await verifyFolder(given, () => readSettings());
  if (answer.type === 'no-folder') throw noFolderError(answer);
  const { report, faults, inStore, rewrite, write } = answer;
  const { folder, batch, edited } = report;
  const view = viewVerified(answer);
  printAnswer(output, flags, view, () => reportLines(answer));
  for (const fault of faults) output.say(`DOES NOT ADD UP: ${fault}`);
  for (const name of edited) {
    const path = shortPath(join(folder, name));
    output.say(`${path} was changed after it was written. If you edited it, run it: voxbatch run ${shellWord(path)}`);
  }
  if (rewrite !== undefined) output.say(`${REWRITE_ADVICE[rewrite]}: ${commandLine(write)}`);
  if (inStore !== undefined && batch !== undefined)
    for (const line of damageLines(inStore.damaged, { batch, ...inStore })) output.say(line);
  return view.exit;
}

/** Why, or how, to write the files again; the command follows. */
const REWRITE_ADVICE: Readonly<Record<NonNullable<Verified['rewrite']>, string>> = {
  'not-ended': 'The batch has not ended, so its files are not written yet. To write them as they stand',
  wrong: 'Write the files again',
  unfinished: 'The batch had not ended when these files were written. To write them as it is now',
};

function noFolderError({ places: [folder, outOfBatch], batch }: NoFolder): ExitError {
  // If no batch has that name, the list helps to find the right one.
  const next = batch === undefined ? 'voxbatch list' : commandLine(nextCommand('results', batch));
  const what = batch === undefined ? 'The names of the batches' : 'Write the files of a batch with';
  return new ExitError(
    'usage',
    `There is nothing to verify: neither ${shortPath(folder)} nor ${shortPath(outOfBatch)} is a folder. ` +
      `Give a folder that holds summary.json, or the name of a batch. ${what}: ${next}`,
    { next },
  );
}

function reportLines({ report, faults }: Verified): readonly string[] {
  const { folder, mismatches, edited, outcomes, unfinished } = report;
  const parts = OUTCOMES.filter((outcome) => outcomes[outcome] > 0).map(
    (outcome) => `${number(outcomes[outcome])} ${outcome}`,
  );
  if (unfinished > 0) parts.push(`${number(unfinished)} unfinished`);
  const media = plural(report.media, 'media file');
  return [
    `${shortPath(folder)}: ${rowsInWords(report.rows)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}, ${media}, ${number(report.charged)} credits charged`,
    findingLine(faults.length, mismatches.length, edited),
  ];
}

function findingLine(faults: number, mismatches: number, edited: readonly string[]): string {
  if (faults > 0) return `${faults} ${form(faults, 'thing does', 'things do')} not add up.`;
  if (mismatches === 0) return 'Everything adds up: hashes, counts, sums, media.';
  return `Everything adds up but ${edited.join(', ')}, which ${form(edited.length, 'was', 'were')} changed.`;
}
