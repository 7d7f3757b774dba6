import { processIdentity } from '../../embedded/process-identity.ts';
import { HOOK_TARGETS, type HookTarget } from '../../contract/hooks.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Delivery, Notice, NoticeClaim } from '../../ledger/notices/notices.ts';

/** How long a notice belongs to the process that delivers it, ms; that process keeps renewing this. */
export const LEASE_MS = 30_000;
const KEEP_EVERY_MS = 10_000;

/**
 * Concurrent deliveries of one process, by target. Each target has its own, so that commands, which may take minutes,
 * never delay messages.
 */
export const DELIVERIES_AT_ONCE: Readonly<Record<HookTarget, number>> = { command: 4, url: 8 };

/** What a courier needs. */
export interface CourierRequest {
  readonly ledger: Pick<Ledger, 'takeNotice' | 'keepNotice' | 'noteDelivery'>;
  /** Awaited before each search. */
  readonly before?: (() => Promise<void>) | undefined;
  /** Which notices. */
  readonly claim: Omit<NoticeClaim, 'leaseMs' | 'claimer' | 'targets' | 'except'>;
  /** Delivers one; rejects if it was cut off, and the notice is then delivered again. */
  readonly deliver: (notice: Notice) => Promise<Delivery>;
  /** Called with each result. */
  readonly onResult: (notice: Notice, delivery: Delivery) => void;
}

/**
 * Delivers notices, several at once: a slow receiver or a long command holds up only what follows for the same batch and
 * target, which would otherwise overtake it.
 */
export class NoticeCourier {
  readonly #request: CourierRequest;
  readonly #claimer = processIdentity();
  readonly #underWay = new Map<Notice, Promise<void>>();
  #taking: Promise<void> = Promise.resolve();
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(request: CourierRequest) {
    this.#request = request;
  }

  /** Begins to deliver what is due, as far as there is room. Rejects with the first error that ended a delivery. */
  async begin(): Promise<void> {
    // One after the other: two that looked at once could both use the last place.
    this.#taking = this.#taking.then(() => this.#take());
    await this.#taking;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Begins nothing more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when nothing is under way. Rejects with the first error that ended a delivery. */
  async idle(): Promise<void> {
    do {
      await this.#taking;
      await Promise.all(this.#underWay.values());
    } while (this.#underWay.size > 0);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Never rejects. */
  async #take(): Promise<void> {
    const { ledger, before, claim } = this.#request;
    try {
      for (;;) {
        await before?.();
        const targets = HOOK_TARGETS.filter((target) => this.#countTo(target) < DELIVERIES_AT_ONCE[target]);
        if (targets.length === 0 || this.#isClosed || this.#failure !== undefined) return;
        const except = [...this.#underWay.keys()];
        const notice = await ledger.takeNotice({
          ...claim,
          targets,
          except,
          leaseMs: LEASE_MS,
          claimer: this.#claimer,
        });
        if (notice === undefined) return;
        this.#underWay.set(notice, this.#carry(notice));
      }
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  /** Delivers one, and then what its place is free for. Never rejects. */
  async #carry(notice: Notice): Promise<void> {
    const { ledger, deliver, onResult } = this.#request;
    const keeping = setInterval(() => {
      ledger.keepNotice(notice.id, LEASE_MS).catch(() => undefined);
    }, KEEP_EVERY_MS);
    try {
      const delivery = await deliver(notice);
      await ledger.noteDelivery(notice.id, delivery);
      onResult(notice, delivery);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      clearInterval(keeping);
      this.#underWay.delete(notice);
    }
    await this.begin().catch(() => undefined);
  }

  #countTo(target: HookTarget): number {
    return [...this.#underWay.keys()].filter((notice) => notice.target === target).length;
  }
}
