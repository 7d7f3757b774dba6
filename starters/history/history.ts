import { isoTime } from '../../contract/times.ts';
import { readHistory } from '../../client/history/history.ts';
import { viewHistory } from '../../client/history/history-view.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Flags } from '../commands/flags.ts';
import { withLedger } from '../connect/settings.ts';
import { usageError } from '../exit-error.ts';
import { actionLine } from '../terminal/action-words.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import { flagOf } from '../terminal/tunable-words.ts';

/** `schedule`: show the history of this schedule instead of a batch's. */
type HistoryFlags = Pick<Flags, 'json' | 'kind' | 'from' | 'to'> & { readonly schedule?: string };

/**
 * `voxbatch history [BATCH]`: shows who did what to a batch and why, the newest last. Its default is the newest batch.
 */
export async function history(
  batch: string | undefined,
  flags: HistoryFlags,
  { output }: RunContext,
): Promise<ExitName> {
  const { schedule, kind, from, to } = flags;
  if (batch !== undefined && schedule !== undefined)
    throw usageError(`The history of a batch or of a schedule: "${batch}" or "${schedule}"?`);
  const kinds = kind?.split(',').map((name) => name.trim().replaceAll('_', '-'));
  const request = { batch, schedule, ...(kinds && { kinds }), ...(from && { from }), ...(to && { to }) };
  const found = await withLedger(async (ledger) => {
    // `ledger copy` moves the whole ledger, so it is no action of a batch or schedule.
    const { copied } = await ledger.readLedgerFacts();
    if (copied !== undefined) output.say(`The ledger came here from ${copied.place} (${isoTime(copied.at)}).`);
    return readHistory(ledger, request, (option) => flagOf(option === 'kinds' ? 'kind' : option));
  });
  const view = viewHistory(found);
  printAnswer(output, flags, view, () => view.actions.map(actionLine));
  if (view.actions.length === 0) {
    const whose = found.batch === null ? `schedule "${found.schedule ?? ''}"` : `batch "${found.batch}"`;
    output.say(`Nothing is on record for ${whose}${(kind ?? from ?? to) === undefined ? '' : ' that fits'}.`);
  }
  return 'complete';
}
