import { ApiError } from '../../api/speech-api.ts';
import { errorSummary } from '../visibility/event-facts.ts';
import { messageOf } from '../../contract/message-of.ts';
import type { FencedAttempt } from '../../contract/batch.ts';
import type { Failure, FailureClass } from '../../contract/failures.ts';
import { LedgerUnreachable } from '../../ledger/errors.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { readNextMove, type RowProgress } from '../attempt.ts';
import type { LaneContext } from './lane-context.ts';

/**
 * Ends a row after an unexpected error in its work, so that it does not hold up its batch: as `failed` if nothing was
 * sent, `unknown` if a request is in doubt, `overdue` if a job runs. The job id and the charge stay on record, and a
 * redrive continues from there. Leaves the row as it is if the lane must end. Rethrows the error if the ledger or the
 * store is unreachable, which is no fault of the row.
 */
export async function endRowAfterError(
  { deps, signal }: Pick<LaneContext, 'deps' | 'signal'>,
  key: FencedAttempt,
  error: unknown,
): Promise<RowProgress> {
  if (signal.aborted) return { next: { type: 'ended' } };
  if (error instanceof LedgerUnreachable || error instanceof StoreUnwritable) throw error;
  const cause = messageOf(error);
  // The stack of an API error is left out: it begins with the API's words, which may repeat the row's text.
  const stack = error instanceof Error && !(error instanceof ApiError) ? error.stack : undefined;
  deps.observe({ type: 'note', what: 'row-ended', ...key, error: errorSummary(error), facts: { stack } });
  const words = `voxbatch could not go on with this row: ${cause}`.slice(0, 400).replace(/\.?$/, '.');
  const move = await readNextMove(deps, key);
  if (move.type === 'ended') return { next: move };
  const at = { batch: key.batch, ...move.at };
  const failure = (name: FailureClass, more: string): Failure => ({ class: name, message: `${words} ${more}` });
  const next = { type: 'ended' } as const;
  switch (move.type) {
    case 'submit': {
      const unsent = failure('InternalError', `Its next request, for ${at.step}, was not sent.`);
      return { next, snapshot: await deps.ledger.giveUp(at, { outcome: 'failed', failure: unsent }) };
    }
    case 'reconcile': {
      const effect = { outcome: 'unknown', failure: failure('OutcomeUnknown', 'It may have been charged.') } as const;
      const snapshot = await deps.ledger.settle(at, { verdict: 'unknown', failure: effect.failure }, effect);
      return { next, snapshot: snapshot.settled ? snapshot : await deps.ledger.giveUp(at, effect) };
    }
    case 'wait': {
      const overdue = failure('Overdue', 'Its job was accepted and may have been charged.');
      return { next, snapshot: await deps.ledger.changeRunning(at, { outcome: 'overdue', failure: overdue }) };
    }
  }
}
