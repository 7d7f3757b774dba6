import { setTimeout as sleep } from 'node:timers/promises';
import type { HintSource, JobHints } from '../../activities/webhooks/job-hints.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { changeWatched, MentionedJobs } from './mentioned-jobs.ts';
import { sourceOf } from './webhook-listener.ts';

/** Interval of reading the hints that another process has left in the ledger, ms. */
const READ_EVERY_MS = 1_000;

/** Max delay of a forwarded webhook, ms: the other process looks up its job, then this one reads the hint. */
const DELAY_MS = 3_000;

/** Options of {@link ForwardedHints}. */
interface ForwardedHintsOptions {
  readonly ledger: Pick<Ledger, 'takeHints'>;
  /** This worker process. */
  readonly owner: string;
  readonly hints: JobHints;
  /** How long to remember hints about jobs that are not known yet, ms. */
  readonly memoryMs: number;
}

/**
 * Receives webhooks about this process's jobs that another process receives: reads the hints that it leaves in the
 * ledger (`hint-forwarder.ts`). Reads nothing while no other process receives webhooks.
 */
export class ForwardedHints {
  readonly #request: ForwardedHintsOptions;
  #listening: { readonly source: HintSource; readonly end: AbortController } | undefined;

  constructor(request: ForwardedHintsOptions) {
    this.#request = request;
  }

  /** Starts reading: another process receives webhooks. Repeatable. */
  listen(): void {
    if (this.#listening !== undefined) return;
    const { hints, memoryMs } = this.#request;
    const jobs = new MentionedJobs(memoryMs);
    const receive = (ids: readonly string[]): void => {
      if (ids.length > 0) hints.receive(ids);
    };
    const source: HintSource = {
      ...sourceOf((changes) => {
        receive(changeWatched(jobs, changes));
      }),
      delayMs: DELAY_MS,
    };
    const end = new AbortController();
    this.#listening = { source, end };
    hints.listen(source);
    void this.#read(end.signal, (id) => {
      receive(jobs.search(id));
    });
  }

  /** Stops reading: no other process receives webhooks any more. Repeatable. */
  stop(): void {
    if (this.#listening === undefined) return;
    this.#request.hints.stop(this.#listening.source);
    this.#listening.end.abort();
    this.#listening = undefined;
  }

  /** Reads hints until the signal aborts, and passes the job ids on. A failed read is repeated later. */
  async #read(signal: AbortSignal, onHint: (id: string) => void): Promise<void> {
    const { ledger, owner } = this.#request;
    while (!signal.aborted) {
      for (const id of await ledger.takeHints(owner).catch(() => [])) onHint(id);
      await sleep(READ_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
