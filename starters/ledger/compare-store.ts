import { compareStore, type ComparedBatch } from '../../client/ledger/compare-store.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { Flags } from '../commands/flags.ts';
import { readSettings } from '../connect/settings.ts';
import type { RunContext } from '../terminal/output.ts';
import { form, isoTime, plural, rowsInWords } from '../terminal/words.ts';

/** `voxbatch ledger compare-store`: what the store shows that a restored ledger lacks. */
export async function compareStoreNow(_flags: Flags, { output }: RunContext): Promise<ExitName> {
  const { ledger, store, batches } = await compareStore(await readSettings());
  if (batches.length === 0)
    output.say(
      `The ledger ${ledger} has no batch to compare: those are compared that it had at \`voxbatch ledger accept-copy\`, until they are resumed or redriven.`,
    );
  const isSilent = ({ isClosed, found, unplaced }: ComparedBatch): boolean =>
    isClosed && found === 0 && unplaced.length === 0;
  for (const batch of batches) if (!isSilent(batch)) for (const line of linesOf(batch, store)) output.say(line);
  const silent = batches.filter(isSilent).length;
  if (silent > 0)
    output.say(
      `${plural(silent, 'batch', 'batches')} that had ended: no result in ${store} without its request on record. What was sent of them since the copy was made, and has no file, is paid for a second time if \`run\` or \`redrive\` sends it again.`,
    );
  return 'complete';
}

/** Files that are named. */
const MOST_NAMED = 20;

function linesOf(compared: ComparedBatch, store: string): readonly string[] {
  const { batch, isClosed, found, unplaced, toSend, from, until, isListed } = compared;
  const name = shellWord(batch);
  const proven =
    found === 0
      ? `Batch "${batch}": no result in ${store} without its request on record.`
      : `Batch "${batch}": ${rowsInWords(found)} ${form(found, 'has its result', 'have their results')} in ${store}, and no answer on record. They were sent, and most likely charged, after the copy was made. ` +
        `They are unknown now, and are not sent again. To take the results, free: voxbatch reconcile ${name}`;
  const more = unplaced.length > MOST_NAMED ? ', …' : '';
  const odd =
    `${plural(unplaced.length, 'file')} of a row or take that the ledger does not know: ${unplaced.slice(0, MOST_NAMED).join(', ')}${more}. ` +
    `They were most likely paid for. \`${isClosed ? 'run` and `redrive' : 'resume'}\` of this batch ${isClosed ? 'are' : 'is'} refused until you have seen them (voxbatch ledger accept-copy --compared names them).`;
  const list = isListed
    ? `\`voxbatch reconcile ${name}\` lists the jobs of that time.`
    : 'The API has no list of speech, transcriptions and dubbings, so `reconcile` proves nothing about them: compare your account for that time, and receipts.jsonl in the out folder.';
  const again = isClosed
    ? 'The batch had ended: `run` and `redrive` of it pay a second time for each of its rows that they send and that was sent then.'
    : `\`voxbatch resume ${name}\` sends what is left, ${rowsInWords(toSend)} at most, and pays a second time for each of them that was sent then.`;
  return [
    proven,
    ...(unplaced.length > 0 ? [odd] : []),
    `Not proven: what was sent from ${isoTime(from)} (the last request on record) to ${isoTime(until)} (the copy was accepted), and has no file yet. ${again} ${list}`,
  ];
}
