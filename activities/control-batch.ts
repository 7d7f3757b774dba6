import { setTimeout as sleep } from 'node:timers/promises';
import type { Control } from '../contract/outcomes.ts';
import type { Dependencies } from './dependencies.ts';
import { loadBatch } from './load-attempt.ts';

/** How often to look whether the wire is empty, ms. */
const LOOK_EVERY_MS = 50;

/**
 * Records what the user wants of a batch. From that moment no intent is recorded against it; then it waits until the
 * intents of before have their verdicts, so that whoever is answered knows that no paid request follows. An intent whose
 * worker died has no verdict until its lane reconciles it; that is part of the wait.
 */
export async function controlBatch(
  deps: Dependencies,
  request: { readonly batch: string; readonly control: Control },
  signal: AbortSignal,
): Promise<{ readonly control: Control }> {
  await loadBatch(deps, request.batch);
  if ((await deps.ledger.setControl(request.batch, request.control)) === 'stopping') {
    // At once, so that lanes find nothing more to claim; and after the wait, for what was refused meanwhile.
    await deps.ledger.cancelRest(request.batch);
  }
  for (;;) {
    // Another wish may come while this one waits.
    const { control } = await loadBatch(deps, request.batch);
    if (control === 'running' || (await deps.ledger.sending(request.batch)).length === 0) {
      if (control === 'stopping') await deps.ledger.cancelRest(request.batch);
      return { control };
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
