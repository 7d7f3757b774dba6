import { shellWord } from '../../contract/shell-word.ts';
import type { ReportAction } from '../../contract/report.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { mergeActions } from '../../policy/history/merge-actions.ts';
import { countRows } from '../../policy/history/row-ranges.ts';
import type { ReportContext } from '../../results/report/report-facts.ts';

/** The words in which the command line describes the state of a batch. */
export type StatusText = Pick<ReportContext, 'standing' | 'notes'>;

/**
 * Reads what a report shows of a batch besides its rows. `status`: words for the batch's state; the default is for
 * callers without words of their own, such as a worker.
 */
export async function readReportContext(
  ledger: Pick<Ledger, 'actionsOf'>,
  batch: BatchRecord,
  status: StatusText = defaultStatus(batch),
): Promise<ReportContext> {
  const actions = mergeActions(await ledger.actionsOf({ batch: batch.name }));
  return {
    ...status,
    actions: actions.map(({ at, kind, actor, reason, rows, details }): ReportAction => ({
      at: new Date(at).toISOString(),
      kind,
      by: actor.type,
      who: actor.name,
      reason,
      rows: rows === null ? null : countRows(rows),
      credits: details.credits ?? null,
    })),
  };
}

function defaultStatus({ name, state, control, halted }: BatchRecord): StatusText {
  const ended = halted === null ? 'finished' : 'halted';
  return {
    standing: state === 'closed' ? ended : control,
    notes: [`What to do next: voxbatch status ${shellWord(name)}`],
  };
}
