import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptKey } from '../contract/batch.ts';
import type { Dependencies } from './dependencies.ts';
import { nameOf, ownCharge } from './attempt.ts';

/** How often to check whether the answer is on record, ms. */
const CHECK_EVERY_MS = 500;
/** A request takes no longer than this, ms; one that is older has no sender any more, whatever lives. */
const LONGEST_REQUEST_MS = 15 * 60_000;

/**
 * Waits for the answer to an attempt that is in flight, as long as whoever sent it lives to record it: in this process, or in another that
 * lost its lane but not its life (a network that was cut, a lane handed over). A dead sender is not waited for.
 */
export async function awaitSender(deps: Dependencies, key: AttemptKey, signal: AbortSignal): Promise<void> {
  await deps.sends.settled(nameOf(key));
  for (;;) {
    const charge = ownCharge(key, (await deps.ledger.readRow(key.batch, key.row))?.charges ?? []);
    if (charge?.state !== 'sending' || charge.owner === deps.owner) return;
    if (Math.abs(deps.clock.now().wall - charge.intentAt) > LONGEST_REQUEST_MS) return;
    const living = await deps.ledger.livingWorkers(deps.realm.apiUrl, deps.realm.account);
    if (!living.includes(charge.owner)) return;
    await sleep(CHECK_EVERY_MS, undefined, { signal });
  }
}
