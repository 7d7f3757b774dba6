import { setTimeout as sleep } from 'node:timers/promises';
import type { Pause } from '../../policy/pacing/limiter-step.ts';
import type { Slot } from '../../policy/pacing/pacer.ts';
import { highestStated } from '../../policy/pacing/rate.ts';
import type { EndpointClass, PaceNeeds } from './rate-lease.ts';
import { PaceLine } from './pace-line.ts';

/** The right to make one call, at a given time. */
export interface Turn {
  readonly endpoint: EndpointClass;
  readonly slot: Slot;
  /** The line in which its batch waits for calls of this class. */
  readonly line: PaceLine;
}

/** The state of one endpoint class in this process. */
interface EndpointPace {
  /** By batch. */
  readonly lines: Map<string, PaceLine>;
  /** Consecutive calls that found the API unreachable or down. */
  troublesInARow: number;
  /** When the last refusal or trouble was reported to the ledger, monotonic ms. Earlier calls say nothing new. */
  reportedAt: number;
}

/**
 * Paces the calls of this process. The ledger divides the common rate among processes, as short leases; within its
 * share a process paces itself, in memory, without asking for each call.
 */
export class Pace {
  readonly #endpoints: Readonly<Record<EndpointClass, EndpointPace>> = {
    create: { lines: new Map(), troublesInARow: 0, reportedAt: Number.NEGATIVE_INFINITY },
    read: { lines: new Map(), troublesInARow: 0, reportedAt: Number.NEGATIVE_INFINITY },
  };

  /**
   * Waits for the turn of a call. A paid request gets its turn shortly before it may be sent; see `waitUntilDue`.
   * Follows the batch's rate if that changes meanwhile. A paid request of a batch that does not run gets its turn at
   * once, because its intent will be refused. Rejects if the signal aborts first.
   */
  async take(deps: PaceNeeds, endpoint: EndpointClass, batch: string, signal: AbortSignal): Promise<Turn> {
    const { lines } = this.#endpoints[endpoint];
    let line = lines.get(batch);
    if (line === undefined) {
      line = new PaceLine(endpoint, batch);
      lines.set(batch, line);
    }
    return { endpoint, line, slot: await line.take(deps, signal) };
  }

  /** Estimates how long the waiting calls of a batch will take at its rate, ms. */
  backlogMs(endpoint: EndpointClass, batch: string): number {
    return this.#endpoints[endpoint].lines.get(batch)?.backlogMs ?? 0;
  }

  /** Counts the calls of the class that were not refused, in the second before `time` (monotonic ms). */
  usedBefore(endpoint: EndpointClass, time: number): number {
    return [...this.#endpoints[endpoint].lines.values()].reduce((sum, line) => sum + line.pacer.usedBefore(time), 0);
  }

  /**
   * Returns the highest rate that users stated for the batches of the calls made in the second before the turn: a
   * refusal counts all those calls. Null if none is stated.
   */
  statedFor({ endpoint, line: own, slot }: Turn): number | null {
    const lines = [...this.#endpoints[endpoint].lines.values()];
    const used = lines.filter((line) => line === own || line.pacer.usedBefore(slot.at) > 0);
    return highestStated(used.map(({ limit }) => limit));
  }

  /** Pauses all calls of the class in this process. `now`: monotonic ms. */
  pause(endpoint: EndpointClass, now: number, { pauseMs }: Pause): void {
    for (const line of this.#endpoints[endpoint].lines.values()) line.pauseUntil(now + pauseMs);
  }

  /** Returns whether a call was sent after the last report, so that its answer says something new. */
  isUnreported({ endpoint, slot }: Turn): boolean {
    return slot.at > this.#endpoints[endpoint].reportedAt;
  }

  /** Notes that this process has reported to the ledger now. */
  noteReported(endpoint: EndpointClass, now: number): void {
    this.#endpoints[endpoint].reportedAt = now;
  }

  /** Notes one more call that found the API unreachable or down; returns how many there were in a row. */
  countTrouble(endpoint: EndpointClass): number {
    return (this.#endpoints[endpoint].troublesInARow += 1);
  }

  /** Notes a good answer; returns true if it ends a trouble that all processes know of. */
  noteSuccess({ endpoint }: Turn): boolean {
    const known = this.#endpoints[endpoint];
    known.troublesInARow = 0;
    return [...known.lines.values()].some((line) => line.isTroubled);
  }
}

/**
 * Waits for the time of a turn, and counts the call as sent. Returns false if a pause was announced since the turn was
 * given: the call should not be made now.
 */
export async function waitUntilDue({ clock }: Pick<PaceNeeds, 'clock'>, { line, slot }: Turn): Promise<boolean> {
  for (;;) {
    const { monotonic: now } = clock.now();
    const wait = line.pacer.depart(slot, now);
    if (wait <= 0) return line.pausedUntil <= now;
    await sleep(wait);
  }
}

/** Gives an unused turn back, so that it does not count against the rate. */
export function giveBack({ line, slot }: Turn): void {
  line.pacer.giveBack(slot);
}
