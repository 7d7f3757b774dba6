import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHints } from '../../activities/webhooks/job-hints.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ConnectedApi } from '../connect-api.ts';
import { ForwardedHints } from './forwarded-hints.ts';
import { restoreLeftover, type Leftover, type LeftoverRequest } from './restore-webhook.ts';
import type { WebhookEvent } from './webhook-options.ts';

/** Timeout of the first check, ms: the start of work waits for it. */
const FIRST_TIMEOUT_MS = 5_000;
/** Interval between checks for webhooks of dead processes, ms. Each costs a query. */
const CHECK_EVERY_MS = 10_000;
/** Interval after the API could not be reached, ms: each check costs profile reads. */
const TRY_EVERY_MS = 60_000;

/** Options of {@link watchLeftover}. */
export interface LeftoverWatchRequest {
  readonly open: ConnectedApi;
  readonly ledger: Ledger;
  /** The worker process that watches. */
  readonly owner: string;
  readonly onEvent: (event: WebhookEvent) => void;
  /** The hints about this process's jobs, also from webhooks that another process receives. */
  readonly hints: JobHints;
  /** How long to remember hints about jobs that are not known yet, ms. */
  readonly memoryMs: number;
  /** Default: 10 s, or a minute after the API could not be reached. */
  readonly pauses?: { readonly checkEveryMs: number; readonly tryEveryMs: number };
}

/** A running watch that restores webhooks left behind by dead processes of this ledger. */
export interface LeftoverWatch {
  /** Ends the watch. Never throws. */
  end(): Promise<void>;
}

/**
 * Restores a webhook that a dead process left in the account. Checks once now, then periodically while this process
 * works, because a killed process counts as alive for some seconds and the API may be unreachable.
 */
export async function watchLeftover(request: LeftoverWatchRequest): Promise<LeftoverWatch> {
  const { open, ledger, owner, onEvent, pauses } = request;
  const { checkEveryMs, tryEveryMs } = pauses ?? { checkEveryMs: CHECK_EVERY_MS, tryEveryMs: TRY_EVERY_MS };
  const ending = new AbortController();
  const { signal } = ending;
  let last: Leftover | undefined;
  const forwarded = new ForwardedHints(request);
  const onRecord: LeftoverRequest['onRecord'] = (record) => {
    if (record?.isAlive === true && record.set !== null) forwarded.listen();
    else forwarded.stop();
  };
  const check = async (limit: AbortSignal): Promise<Leftover | undefined> => {
    // An earlier URL that the API rejects now will be rejected a minute later too.
    const except = last?.end === 'stays' ? last.address : undefined;
    const found = await restoreLeftover(ledger, open, { owner, except, onRecord }, limit);
    if (found === undefined) return undefined;
    const isChanged = found.end !== last?.end || found.address !== last.address;
    if (isChanged) onEvent({ type: 'over', end: found.end, before: found.before, isLeftover: true });
    return (last = found);
  };
  let found = await check(AbortSignal.timeout(FIRST_TIMEOUT_MS));
  const watching = (async () => {
    for (;;) {
      await sleep(found?.end === 'away' ? tryEveryMs : checkEveryMs, undefined, { signal, ref: false });
      found = await check(signal);
    }
  })().catch(() => undefined);
  return {
    end: async () => {
      ending.abort();
      forwarded.stop();
      await watching;
    },
  };
}
