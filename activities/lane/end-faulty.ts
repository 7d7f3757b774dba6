import type { FencedAttempt, Move } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Dependencies } from '../dependencies.ts';
import { moveOf } from '../attempt.ts';

/**
 * Ends a row on which this program has a fault, so that it does not hold up its batch: as `failed` if nothing was sent,
 * `unknown` if a request is in doubt, `overdue` if a job runs. The job id and the money stay on record, and a redrive
 * continues from there. Returns what the row needs if that has changed meanwhile.
 */
export async function endFaulty(deps: Dependencies, key: FencedAttempt, error: unknown): Promise<Move> {
  const cause = error instanceof Error ? error.message : String(error);
  deps.log.error({ ...key, error: cause, stack: error instanceof Error ? error.stack : undefined }, 'a row is ended');
  const words = `voxbatch could not go on with this row: ${cause}`.slice(0, 400).replace(/\.?$/, '.');
  const now = await moveOf(deps, key);
  switch (now.type) {
    case 'ended':
      return now;
    case 'submit': {
      const failure: Failure = {
        class: 'InternalError',
        message: `${words} Its next request, for ${now.at.step}, was not sent.`,
      };
      await deps.ledger.giveUp({ batch: key.batch, ...now.at }, { outcome: 'failed', failure });
      return { type: 'ended' };
    }
    case 'reconcile': {
      const at = { batch: key.batch, ...now.at };
      const failure: Failure = { class: 'OutcomeUnknown', message: `${words} It may have been charged.` };
      const effect = { outcome: 'unknown', failure } as const;
      const { settled } = await deps.ledger.settle(at, { verdict: 'unknown', failure }, effect);
      if (!settled) await deps.ledger.giveUp(at, effect);
      return { type: 'ended' };
    }
    case 'wait': {
      const failure: Failure = {
        class: 'Overdue',
        message: `${words} Its job was accepted and may have been charged.`,
      };
      await deps.ledger.changeRunning({ batch: key.batch, ...now.at }, { outcome: 'overdue', failure });
      return { type: 'ended' };
    }
  }
}
