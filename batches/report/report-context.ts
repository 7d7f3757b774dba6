import { shellWord } from '../../contract/shell-word.ts';
import type { ReportAction } from '../../contract/report.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { mergeActions } from '../../policy/history/merge-actions.ts';
import { countRows } from '../../policy/history/row-ranges.ts';
import type { ReportContext } from '../../results/report/report-facts.ts';

/** What the command line says of a batch. */
export type StatusText = Pick<ReportContext, 'standing' | 'notes'>;

/** What a report tells of a batch beside its rows. `told`: default for whoever has no words, such as a worker. */
export async function readReportContext(
  ledger: Pick<Ledger, 'actionsOf'>,
  batch: BatchRecord,
  told: StatusText = plainly(batch),
): Promise<ReportContext> {
  const actions = mergeActions(await ledger.actionsOf({ batch: batch.name }));
  return {
    ...told,
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

function plainly({ name, state, control, halted }: BatchRecord): StatusText {
  const standing = state === 'closed' ? (halted === null ? 'finished' : 'halted') : control;
  return {
    standing,
    notes: [`What to do next: voxbatch status ${shellWord(name)}`],
  };
}
