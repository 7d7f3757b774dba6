import type { Standstill } from '../../batches/status/standstill.ts';
import { viewFailure, type Failure } from '../../contract/failures.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { FollowEvent } from './follow.ts';
import type { viewProgress } from './status-view.ts';

type FailureView = ReturnType<typeof viewFailure<Failure>>;

/** A line of `--progress json` and of `watch --json`, except the last one, `ended`. */
export type EventView =
  /** Printed about once a second. */
  | ({ readonly type: 'progress' } & ReturnType<typeof viewProgress>)
  /** The batch paused. `waits`: the command keeps running until somebody resumes the batch. */
  | { readonly type: 'paused'; readonly reason: FailureView | null; readonly waits: boolean }
  | { readonly type: 'stopping'; readonly halted: BatchRecord['halted'] }
  | { readonly type: 'standstill'; readonly standstill: Standstill }
  /** Its workflow was ended from outside and is replaced. */
  | { readonly type: 'restarted'; readonly message: string }
  /** Temporal does not answer. */
  | { readonly type: 'silent' }
  | { readonly type: 'store-away'; readonly problem: string; readonly needsPerson: boolean }
  | { readonly type: 'store-back' }
  /** The batch has no worker; `watch` ends soon. */
  | { readonly type: 'deserted' }
  /** What the command prints with `--json`: the view `run`, `redrive`, `reconcile` or `status`. */
  | { readonly type: 'result'; readonly result: unknown };

/** Views an event of a followed batch as a line of `--progress json`. */
export function viewFollowed(event: Exclude<FollowEvent, { readonly type: 'ended' | 'progress' }>): EventView {
  switch (event.type) {
    case 'paused':
      return {
        type: event.type,
        reason: event.batch.pauseReason === null ? null : viewFailure(event.batch.pauseReason),
        waits: event.waits,
      };
    case 'store-away':
      return { type: event.type, problem: event.why, needsPerson: event.needsPerson };
    case 'stopping':
      return { type: event.type, halted: event.batch.halted };
    case 'standstill':
      return { type: event.type, standstill: event.standstill };
    default:
      return event;
  }
}
