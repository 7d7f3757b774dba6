import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchLimits } from '../contract/batch.ts';
import type { Control } from '../contract/outcomes.ts';
import type { Dependencies } from './dependencies.ts';
import { loadBatch } from './load-attempt.ts';

/** How often to look whether the wire is empty, ms. */
const LOOK_EVERY_MS = 50;

/**
 * Carries out what the ledger says the user wants of a batch, and says what that is, with the limits that lanes share. Since it was written there, no intent
 * is recorded against it. For `paused` and `stopping` this waits until the intents of before have their verdicts, so that
 * whoever is answered knows that no paid request follows. An intent whose worker died has no verdict until its lane
 * reconciles it; that is part of the wait.
 *
 * It writes no wish itself: one that is delivered late could undo a newer one.
 */
export async function applyControl(
  deps: Dependencies,
  batch: string,
  signal: AbortSignal,
): Promise<{ readonly control: Control } & Pick<BatchLimits, 'submits' | 'window'>> {
  // At once, so that lanes find nothing more to claim; and after the wait, for what was refused meanwhile.
  if ((await loadBatch(deps, batch)).control === 'stopping') await deps.ledger.cancelRest(batch);
  for (;;) {
    // Another wish may come while this one waits.
    const { control, settings } = await loadBatch(deps, batch);
    const { submits, window } = settings.limits;
    if (control === 'running' || (await deps.ledger.sending(batch)).length === 0) {
      if (control === 'stopping') await deps.ledger.cancelRest(batch);
      return { control, submits, window };
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
