import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptKey } from '../contract/batch.ts';
import type { Dependencies } from './dependencies.ts';
import { nameOf, ownCharge } from './attempt.ts';

/** How often to check whether the answer is on record, ms. */
const CHECK_EVERY_MS = 500;
/** Longest time a request can take, ms; an older one has no living sender. */
const LONGEST_REQUEST_MS = 15 * 60_000;

/**
 * Waits for the answer to an attempt in flight, as long as its sender lives to record it: in this process, or in
 * another that lost its lane but still runs (a cut network, a lane handed over). It does not wait for a dead sender.
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
