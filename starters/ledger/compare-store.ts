import { isoTime } from '../../contract/times.ts';
import { compareStore, type ComparedBatch, type ComparedStore } from '../../client/ledger/compare-store.ts';
import { viewCompared } from '../../client/ledger/ledger-view.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { Flags } from '../commands/flags.ts';
import { readSettings } from '../connect/settings.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import { form, number, plural, rowsInWords } from '../terminal/words.ts';

/**
 * `voxbatch ledger compare-store`: finds rows that a restored ledger has as unsent although the store has their
 * results.
 */
export async function compareStoreNow(flags: Flags, { output }: RunContext): Promise<ExitName> {
  const compared = await compareStore(await readSettings());
  if (flags.json === true) printAnswer(output, flags, viewCompared(compared), () => []);
  else for (const line of linesFor(compared)) output.say(line);
  return 'complete';
}

function linesFor({ ledger, store, batches, unknown }: ComparedStore): readonly string[] {
  const none = `The ledger ${ledger} has no batch to compare: those are compared that it had at \`voxbatch ledger accept-copy\`, until they are resumed or redriven.`;
  const isUnchanged = ({ isClosed, found, unplaced }: ComparedBatch): boolean =>
    isClosed && found === 0 && unplaced.length === 0;
  const unchanged = batches.filter(isUnchanged).length;
  const ended = `${plural(unchanged, 'batch', 'batches')} that had ended: no result in ${store} without its request on record. What was sent of them since the copy was made, and has no file, is paid for a second time if \`run\` or \`redrive\` sends it again.`;
  return [
    ...(batches.length === 0 ? [none] : []),
    ...batches.filter((batch) => !isUnchanged(batch)).flatMap((batch) => batchLines(batch, store)),
    ...(unchanged > 0 ? [ended] : []),
    ...unknownLines(unknown, store),
  ];
}

/** Folders that are listed by name. */
const MAX_FOLDERS = 20;

/** Describes batches that only the store has. */
function unknownLines({ named, folders, results }: ComparedStore['unknown'], store: string): readonly string[] {
  if (folders === 0) return [];
  const shown = named.slice(0, MAX_FOLDERS);
  const more = folders - shown.length;
  return [
    `${plural(folders, 'batch', 'batches')} with ${plural(results, 'result')} in ${store} ${form(folders, 'is', 'are')} not in the ledger: ${form(folders, 'it was', 'they were')} begun after the copy was made. ` +
      `The same \`run\`, or single job (\`say\` and its like), is refused until it is given with \`--cache only\`, which puts the batch on record again and sends nothing. Then \`voxbatch reconcile BATCH\` names the jobs that are in receipts of its out folder, ` +
      'and a row is given its job, free: voxbatch reconcile BATCH --adopt ROW=JOB … Under another --name, or with --again, all is paid for again. These results stay where they are, named by row number.',
    ...shown.map(({ folder, results: count, batch }) => `  ${folder}: ${plural(count, 'result')} of batch "${batch}"`),
    ...(more > 0 ? [`  and ${number(more)} more (--json names up to a hundred)`] : []),
  ];
}

/** Files that are listed by name. */
const MAX_FILES = 20;

/** Describes what was found of a batch, and what stays unproven. */
function batchLines(compared: ComparedBatch, store: string): readonly string[] {
  const { batch, isClosed, found, unplaced, toSend, from, until, isListed } = compared;
  const name = shellWord(batch);
  const proven =
    found === 0
      ? `Batch "${batch}": no result in ${store} without its request on record.`
      : `Batch "${batch}": ${rowsInWords(found)} ${form(found, 'has its result', 'have their results')} in ${store}, and no answer on record. They were sent, and most likely charged, after the copy was made. ` +
        `They are unknown now, and are not sent again. To take the results, free: voxbatch reconcile ${name}`;
  const more = unplaced.length > MAX_FILES ? ', …' : '';
  const odd =
    `${plural(unplaced.length, 'file')} of a row or take that the ledger does not know: ${unplaced.slice(0, MAX_FILES).join(', ')}${more}. ` +
    `They were most likely paid for. \`${isClosed ? 'run` and `redrive' : 'resume'}\` of this batch ${isClosed ? 'are' : 'is'} refused until you have seen them (voxbatch ledger accept-copy --compared names them). The result of a row's next take is given to it, free: voxbatch reconcile ${name} --adopt ROW/TAKE=FILE`;
  const list = isListed
    ? `\`voxbatch reconcile ${name}\` lists the jobs of that time.`
    : 'The API has no list of speech, transcriptions and dubbings, so `reconcile` proves nothing about them: compare your account for that time.';
  const again = isClosed
    ? 'The batch had ended: `run` and `redrive` of it pay a second time for each of its rows that they send and that was sent then.'
    : `\`voxbatch resume ${name}\` sends what is left, ${rowsInWords(toSend)} at most, and pays a second time for each of them that was sent then.`;
  return [
    proven,
    ...(unplaced.length > 0 ? [odd] : []),
    `Not proven: what was sent from ${isoTime(from)} (the last request on record) to ${isoTime(until)} (the copy was accepted), and has no file yet. ${again} ${list} \`voxbatch reconcile ${name}\` names the jobs that are in receipts of its out folder. Each row that is given its job is fetched, free: voxbatch reconcile ${name} --adopt ROW=JOB …`,
  ];
}
