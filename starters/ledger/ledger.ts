import { isoTime } from '../../contract/times.ts';
import { isLedgerFile } from '../../contract/urls.ts';
import { acceptCopy, clearCopyDoubts } from '../../client/ledger/accept-copy.ts';
import { checkLedgerSums } from '../../client/ledger/check-ledger.ts';
import type { LedgerCheckView } from '../../client/ledger/ledger-view.ts';
import { openRecords } from '../../client/open-records.ts';
import { differenceWords } from '../../client/problem.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Flags } from '../commands/flags.ts';
import { readSettings } from '../connect/settings.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import { plural } from '../terminal/words.ts';
import { batchLines } from './sums-words.ts';

/** `voxbatch ledger check`: counts rows and charges again, and compares that with the ledger's counts and sums. */
export async function check(flags: Flags, { output }: RunContext): Promise<ExitName> {
  const view = await checkLedgerSums(await readSettings());
  printAnswer(output, flags, view, () => checkLines(view));
  return view.differences.length === 0 ? 'complete' : 'mismatch';
}

function checkLines({ ledger, batches, differences }: LedgerCheckView): readonly string[] {
  if (differences.length === 0)
    return [...batchLines(batches), `The ledger ${ledger} adds up: what it keeps is what its rows and charges say.`];
  return [
    `The ledger ${ledger} does not add up. Counted from its rows and charges, and what it keeps:`,
    ...differences.map((difference) => `  ${differenceWords(difference)}`),
    'Results, requests and charges are as they are on record; only counts and sums shown of these batches are wrong. Restore it from a backup, or report this.',
  ];
}

/** `voxbatch ledger migrate`: creates the ledger's tables, or adds those of this version. Can be repeated. */
export async function migrate(_flags: Flags, { output }: RunContext): Promise<ExitName> {
  const settings = await readSettings();
  const ledger = await openRecords(settings, { mustExist: false, makesTables: true });
  await ledger.close();
  output.say(`The ledger ${ledger.place} has the tables of this version.`);
  return 'complete';
}

/**
 * `voxbatch ledger accept-copy`: accepts a restored backup or promoted replica as the ledger. Nothing is sent from such
 * a copy before, since it may lack requests that were paid for. Pauses all open batches and schedules.
 */
export async function acceptCopyNow({ compared }: Flags, context: RunContext): Promise<ExitName> {
  if (compared === true) return clearDoubts(context);
  const { output } = context;
  const { ledger, paused, pausedSchedules } = await acceptCopy(await readSettings());
  const isFile = isLedgerFile(ledger);
  output.say(
    isFile
      ? `The ledger ${ledger} is accepted. Use neither the former one any more, if it is still somewhere, nor another copy of it: each would pay for the same rows.`
      : `The ledger ${ledger} is the database behind its address from now on. Stop the former database server for good, if it can still run: ` +
          'workers that reach it go on there with the same batches, and each row would be paid for on both.',
  );
  output.say(
    `${paused.length > 0 ? `Paused: ${paused.join(', ')}. ` : ''}${isFile ? 'What was sent' : 'Workers that still run put on record again what they had sent. What others had sent'} after the copy ` +
      'was made is not on record, and would be sent and paid for again, also of batches that had ended in it. Find what can be found of it first: voxbatch ledger compare-store, then voxbatch reconcile BATCH.' +
      (paused.length > 0
        ? ` Then: ${isFile ? 'voxbatch ledger accept-copy --compared, and ' : ''}voxbatch resume BATCH`
        : ''),
  );
  if (pausedSchedules.length > 0) {
    output.say(
      `Paused schedules: ${pausedSchedules.join(', ')}. A batch that one fired after the copy was made is not on record, and a firing again would pay for it again: ` +
        'what was due until now is refused. Then: voxbatch schedule resume NAME',
    );
  }
  return 'complete';
}

/**
 * `--compared`: the user has compared the copy with the account, so nothing is waited for any more: neither processes
 * that have not recorded again what they had sent (`senders`), nor requests whose row or take the copy lacks
 * (`unplaced`).
 */
async function clearDoubts({ output }: RunContext): Promise<ExitName> {
  const { senders, mayBeMore, unplaced, paused } = await clearCopyDoubts(await readSettings());
  const waited = [
    ...(senders > 0 ? [plural(senders, 'process', 'processes')] : []),
    ...(mayBeMore ? ['whoever sent something after the copy was made'] : []),
    ...(unplaced.length > 0 ? [`${plural(unplaced.length, 'request')} without a place`] : []),
  ];
  const then = paused.length === 0 ? '' : ` Paused: ${paused.join(', ')}. Then: voxbatch resume BATCH`;
  output.say(
    waited.length === 0
      ? `Nothing was waited for: all processes that wrote lately have put on record again what they had sent.${then}`
      : `No longer waited for: ${waited.join(' and ')}. What was sent and is not on record will be sent and paid for again.${then}`,
  );
  for (const { key, jobId, at } of unplaced) {
    const job = jobId === null ? 'no answer known' : `job ${jobId}`;
    output.say(`  Batch "${key.batch}", row ${key.row}, ${key.step}, take ${key.take}: ${job}, ${isoTime(at)}`);
  }
  return 'complete';
}
