import type { BatchRecord, RowRecord } from '../../ledger/record-types.ts';
import { pauseMessage } from '../follow.ts';
import { goOnCommand, shellWord } from '../go-on-command.ts';

/** What a person can do about a row, with the command. */
export function nextForRow({
  batch,
  row,
  isDeserted,
}: {
  readonly batch: BatchRecord;
  /** True if it is certain that nobody works on the batch. */
  readonly isDeserted: boolean;
  readonly row: Pick<RowRecord, 'outcome' | 'failure' | 'id' | 'kind'>;
}): string {
  const name = shellWord(batch.name);
  const redrive = `voxbatch redrive ${name} --rows ${shellWord(row.id)}`;
  switch (row.outcome) {
    case 'succeeded':
    case 'cached':
      return `Nothing. Its files are written by: voxbatch results ${name}. To replace the result, at a new price: ${redrive}`;
    case 'failed':
      return afterFailure(row, name, redrive);
    case 'unknown':
      return (
        `Look, free, for what became of the request: voxbatch reconcile ${name}. It is not sent again by itself, since that could be charged ` +
        `twice; to pay again all the same: ${redrive} --resubmit`
      );
    case 'overdue':
      return `The job was paid and is still at the API. Wait for it again, free: ${redrive}. To pay for another one: ${redrive} --resubmit`;
    case 'refused':
      return `Raise the budget (voxbatch tune ${name} --budget CREDITS), then: ${redrive}`;
    case 'cancelled':
    case 'rejected':
      return `Run it again, at its price: ${redrive}`;
    case null:
      if (batch.control === 'paused') return pauseMessage(batch, { isDeserted });
      if (isDeserted) return `Nobody works on the batch. Go on with: ${goOnCommand(batch)}`;
      return `It is in the works. If nothing works on the batch, go on with: ${goOnCommand(batch)}`;
  }
}

function afterFailure({ failure, kind }: Pick<RowRecord, 'failure' | 'kind'>, name: string, redrive: string): string {
  switch (failure?.class) {
    case 'ResultGone': {
      const speech = kind === 'dub' ? ` (if it is its speech that is gone: --step speech)` : '';
      return `The job was paid. Read it again, free: ${redrive}. To pay for another one: ${redrive} --resubmit${speech}`;
    }
    case 'OutcomeUnknown':
      return `The request may have been charged. Look into the account; to pay again all the same: ${redrive} --resubmit`;
    case 'Rejected':
      return `Mend its cells in out/${name}/failed.csv (or where the files are), then: voxbatch redrive ${name} --from FILE. Nothing was charged.`;
    default:
      return `Run it again, at its price: ${redrive}. Edited cells first: voxbatch redrive ${name} --from FILE`;
  }
}
