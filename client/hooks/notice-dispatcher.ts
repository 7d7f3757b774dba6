import { processIdentity } from '../../embedded/process-identity.ts';
import { HOOK_TARGETS, type HookTarget } from '../../contract/hooks.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Delivery, Notice, NoticeClaim } from '../../ledger/notices/notices.ts';

/** Lease of the process that delivers a notice, ms. It is renewed until the delivery ends. */
export const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;

/**
 * Max concurrent deliveries per process, by target. The limits are separate so that commands, which may take minutes,
 * never delay messages.
 */
export const DELIVERIES_AT_ONCE: Readonly<Record<HookTarget, number>> = { command: 4, url: 8 };

/** Options of a {@link NoticeDispatcher}. */
export interface DispatcherOptions {
  readonly ledger: Pick<Ledger, 'takeNotice' | 'keepNotice' | 'noteDelivery'>;
  /** Awaited before each search for due notices. */
  readonly before?: (() => Promise<void>) | undefined;
  /** Selects the notices to claim. */
  readonly claim: Omit<NoticeClaim, 'leaseMs' | 'claimer' | 'targets' | 'except'>;
  /** Delivers a notice; rejects if aborted, and the notice is then delivered again. */
  readonly deliver: (notice: Notice) => Promise<Delivery>;
  /** Called after each delivery. */
  readonly onResult: (notice: Notice, delivery: Delivery) => void;
}

/**
 * Delivers notices, the messages of `--on-end` and `--notify`, concurrently, but in order per batch and target: a slow
 * receiver or a long command delays only the later notices of its own batch and target.
 */
export class NoticeDispatcher {
  readonly #request: DispatcherOptions;
  readonly #claimer = processIdentity();
  readonly #underWay = new Map<Notice, Promise<void>>();
  #taking: Promise<void> = Promise.resolve();
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(request: DispatcherOptions) {
    this.#request = request;
  }

  /** Starts due deliveries up to the concurrency limits. Rejects with the first error that ended a delivery. */
  async begin(): Promise<void> {
    // Serialized: two concurrent searches could both take the last slot.
    this.#taking = this.#taking.then(() => this.#take());
    await this.#taking;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Starts no further deliveries. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when no delivery is in flight. Rejects with the first error that ended a delivery. */
  async idle(): Promise<void> {
    do {
      await this.#taking;
      await Promise.all(this.#underWay.values());
    } while (this.#underWay.size > 0);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Claims due notices and starts their deliveries. Never rejects. */
  async #take(): Promise<void> {
    const { ledger, before, claim } = this.#request;
    try {
      for (;;) {
        await before?.();
        const targets = HOOK_TARGETS.filter((target) => this.#countTo(target) < DELIVERIES_AT_ONCE[target]);
        if (targets.length === 0 || this.#isClosed || this.#failure !== undefined) return;
        // Keeps the order: the later notices of a batch and target wait for the one in flight.
        const except = [...this.#underWay.keys()];
        const notice = await ledger.takeNotice({
          ...claim,
          targets,
          except,
          leaseMs: LEASE_MS,
          claimer: this.#claimer,
        });
        if (notice === undefined) return;
        this.#underWay.set(notice, this.#deliver(notice));
      }
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  /** Delivers a notice, then uses its freed slot for the next one. Never rejects. */
  async #deliver(notice: Notice): Promise<void> {
    const { ledger, deliver, onResult } = this.#request;
    const renewing = setInterval(() => {
      ledger.keepNotice(notice.id, LEASE_MS).catch(() => undefined);
    }, RENEW_EVERY_MS);
    try {
      const delivery = await deliver(notice);
      await ledger.noteDelivery(notice.id, delivery);
      onResult(notice, delivery);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      clearInterval(renewing);
      this.#underWay.delete(notice);
    }
    await this.begin().catch(() => undefined);
  }

  #countTo(target: HookTarget): number {
    return [...this.#underWay.keys()].filter((notice) => notice.target === target).length;
  }
}
