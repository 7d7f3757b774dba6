import { setTimeout as sleep } from 'node:timers/promises';
import { isTokenRefused } from '../../batches/look/pauses.ts';
import { isOwed } from '../../contract/hooks.ts';
import { realmOf, type OpenApi } from '../../client/open-api.ts';
import { realmDifference } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';

const LOOK_EVERY_MS = 500;
/** With `--until-idle`: the batch that it was started for needs a moment to be there. */
const IDLE_LOOKS = 10;

/** How long to stay, and what to write meanwhile. */
interface Stay {
  /** End when no batch of this account is open, or none can go on with this token. */
  readonly untilIdle?: boolean;
  /** A batch whose hooks are to be told before that. */
  readonly batch?: string;
  readonly write: (() => Promise<void>) | undefined;
}

/** Stays until the signal aborts, or with `--until-idle` until nothing is left to do, and writes files meanwhile. */
export async function stayUntil(ledger: Ledger, open: OpenApi, stay: Stay, signal: AbortSignal): Promise<void> {
  for (let idle = 0; !signal.aborted && !(stay.untilIdle === true && idle > IDLE_LOOKS);) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    await stay.write?.();
    if (stay.untilIdle !== true) continue;
    const batches = await ledger.listBatches();
    const isBusy = batches.some((one) => isOpenFor(one, open) && !isTokenRefused(one));
    idle = isBusy || (await hasNews(ledger, stay.batch)) ? 0 : idle + 1;
  }
}

/** Whether a hook of the batch is still to be tried for the first time, or just now. */
async function hasNews(ledger: Ledger, batch: string | undefined): Promise<boolean> {
  const notices = batch === undefined ? [] : await ledger.noticesOf(batch);
  return notices.some(isOwed);
}

/** True for an open batch of this API and account. */
export function isOpenFor(batch: BatchRecord, open: OpenApi): boolean {
  return batch.state === 'open' && realmDifference(batch, realmOf(open)) === undefined;
}
