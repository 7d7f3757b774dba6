import { setTimeout as sleep } from 'node:timers/promises';
import { crowded, hasRoom, type CrowdState } from '../workflows/policy/crowd.ts';
import type { Realm } from '../contract/names.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** How often to look whether a job has ended, ms. */
const LOOK_EVERY_MS = 250;

/** What is asked, and when. */
interface Needs {
  readonly ledger: Pick<Ledger, 'countRunning'>;
  readonly realm: Pick<Realm, 'apiUrl' | 'account'>;
  readonly clock: { now(): { readonly wall: number } };
}

/**
 * What this process knows of how many jobs the API runs at once. Each process learns it by a refusal of its own, which costs nothing;
 * the jobs are counted in the ledger, over all processes and batches.
 */
export class Crowd {
  #state: CrowdState | undefined;

  /** Waits until the API may take one more job. Rejects when the signal aborts. */
  async room(deps: Needs, signal: AbortSignal): Promise<void> {
    while (this.#state !== undefined && !hasRoom(this.#state, await running(deps), deps.clock.now().wall)) {
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  /** The API refused a request because too many jobs are unfinished. */
  async refused(deps: Needs): Promise<void> {
    const count = await running(deps);
    this.#state = crowded(this.#state, count, deps.clock.now().wall);
  }
}

function running({ ledger, realm }: Needs): Promise<number> {
  return ledger.countRunning(realm.apiUrl, realm.account);
}
