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
  /** Requests of this process that were let through and have no answer on record yet: each may be one more job. */
  #inside = 0;

  /**
   * Waits until the API may take one more job, and lets one request through: its job is counted from now on. Returns what is to
   * be called when the request has its answer, or will not be made. Rejects when the signal aborts.
   */
  async enter(deps: Needs, signal: AbortSignal): Promise<() => void> {
    for (;;) {
      const count = this.#state === undefined ? 0 : await running(deps);
      // Nothing may come between the look and the step, else all who wait would go at once.
      if (hasRoom(this.#state, count + this.#inside, deps.clock.now().wall)) break;
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
    this.#inside += 1;
    return () => {
      this.#inside -= 1;
    };
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
