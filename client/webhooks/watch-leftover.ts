import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenApi } from '../open-api.ts';
import { putLeftoverBack, type Leftover, type WebhookLedger } from './put-back.ts';
import type { WebhookNews } from './webhook-news.ts';

/** How long the first look may take: the start of the work waits for it, ms. */
const FIRST_MS = 5_000;
/** How often a webhook is looked for whose process has died, ms. It costs a query. */
const LOOK_EVERY_MS = 10_000;
/** The same after the API could not be asked, ms: it costs reads of the profile. */
const TRY_EVERY_MS = 60_000;

/** What a watch needs. */
export interface LeftoverWatchRequest {
  readonly open: OpenApi;
  readonly ledger: WebhookLedger;
  /** The worker process that looks. */
  readonly owner: string;
  readonly tell: (news: WebhookNews) => void;
  /** Default: 10 s, and a minute after the API could not be asked. */
  readonly pauses?: { readonly lookEveryMs: number; readonly tryEveryMs: number };
}

/** Puts webhooks back that processes of this ledger left behind when they died. */
export interface LeftoverWatch {
  /** Ends the watch. Never throws. */
  end(): Promise<void>;
}

/**
 * Looks for a webhook that a process which died has left in the account, and puts it back: once now, then as long as this
 * process works, since a process may count as living for seconds after it was killed, and the API may be away.
 */
export async function watchLeftover(request: LeftoverWatchRequest): Promise<LeftoverWatch> {
  const { open, ledger, owner, tell, pauses } = request;
  const { lookEveryMs, tryEveryMs } = pauses ?? { lookEveryMs: LOOK_EVERY_MS, tryEveryMs: TRY_EVERY_MS };
  const ending = new AbortController();
  const { signal } = ending;
  let last: Leftover | undefined;
  const look = async (limit: AbortSignal): Promise<Leftover | undefined> => {
    // What the API does not take back now it does not take a minute later.
    const except = last?.end === 'stays' ? last.address : undefined;
    const found = await putLeftoverBack(ledger, open, { owner, except }, limit);
    if (found === undefined) return undefined;
    const isNews = found.end !== last?.end || found.address !== last.address;
    if (isNews) tell({ type: 'over', end: found.end, before: found.before, isLeftover: true });
    return (last = found);
  };
  let found = await look(AbortSignal.timeout(FIRST_MS));
  const watching = (async () => {
    for (;;) {
      await sleep(found?.end === 'away' ? tryEveryMs : lookEveryMs, undefined, { signal, ref: false });
      found = await look(signal);
    }
  })().catch(() => undefined);
  return {
    end: async () => {
      ending.abort();
      await watching;
    },
  };
}
