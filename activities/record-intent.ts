import type { FencedAttempt } from '../contract/batch.ts';
import { defined } from '../contract/defined.ts';
import { quoteFrom } from '../policy/pricing.ts';
import type { Instant } from '../policy/send-deadline.ts';
import type { Dependencies } from './dependencies.ts';
import type { ReadyLink } from './fresh-link.ts';
import { loadBatch, type LoadedAttempt } from './load-attempt.ts';
import { hashOf } from './look-up-lost-job.ts';
import type { Turn } from './pace.ts';
import { reportOf, reportStanding, withControl, type SubmitReport } from './submit-report.ts';

/** A synced commit takes so long, ms, with the way to the ledger and back. */
const COMMIT_MS = 5;

/**
 * What became of an intent. `recorded`: its request is to be sent; `askedAt` is before the record was made, so that a process that stands
 * still in between notices it. `full`: to be asked again. `refused`: it may not be sent.
 */
export type RecordedIntent =
  | { readonly type: 'recorded'; readonly askedAt: Instant }
  | { readonly type: 'full' }
  | { readonly type: 'refused'; readonly report: SubmitReport };

/** Records the intent of a request, exclusively and synced: what it costs, and the later steps of its row with it. */
export async function recordIntent(
  deps: Dependencies,
  { row: { kind, spec } }: LoadedAttempt,
  key: FencedAttempt,
  { link }: ReadyLink,
  turn: Turn,
): Promise<RecordedIntent> {
  // Read anew each time: the user may change them while this waits.
  const { settings } = await loadBatch(deps, key.batch);
  const askedAt = deps.clock.now();
  const intent = await deps.ledger.intend(key, {
    ...quoteFrom(kind, key.step, spec, settings),
    owner: deps.owner,
    maxSending: settings.limits.submits,
    // It may wait for others, so that it is on disk when the moment of its request comes.
    patienceMs: Math.max(0, turn.slot.at - askedAt.monotonic - COMMIT_MS),
    ...defined({ fence: key.fence }),
    ...(link === undefined ? {} : { linkHash: hashOf(link.url) }),
  });
  switch (intent.type) {
    case 'go':
      return { type: 'recorded', askedAt };
    case 'full':
      return { type: 'full' };
    case 'blocked':
      return { type: 'refused', report: await withControl(deps, key, reportOf('blocked', key, intent)) };
    case 'over-budget':
      return { type: 'refused', report: reportOf('skipped', key, intent) };
    case 'exists':
      return { type: 'refused', report: reportStanding(key, intent) };
  }
}
