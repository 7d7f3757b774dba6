import { setTimeout as sleep } from 'node:timers/promises';
import type { Pause } from '../policy/limiter-step.ts';
import type { Wave } from '../policy/learned-limit.ts';
import type { Slot } from '../policy/pacer.ts';
import { highestStated } from '../policy/rate.ts';
import { PaceLine } from './pace-line.ts';
import type { EndpointClass, PaceNeeds } from './pace-needs.ts';

/** The right to make one call, at a moment. */
export interface Turn {
  readonly endpoint: EndpointClass;
  readonly slot: Slot;
  /** Where its batch waits for calls of this class. */
  readonly line: PaceLine;
}

/**
 * Turns of paid requests are given so far ahead, ms: their intents are written meanwhile, and the requests go at their moment all the
 * same. A timer and a synced commit before each send would lose twice that.
 */
const AHEAD_MS: Readonly<Record<EndpointClass, number>> = { create: 12, read: 0 };
/** Gap between calls where nothing limits them, ms: a limit that nobody has told of then refuses a few of them, not all that are ready. */
const APART_MS: Readonly<Record<EndpointClass, number>> = { create: 1, read: 0 };

/** What one process knows of the pace of one endpoint class. */
interface EndpointPace {
  readonly lines: Map<string, PaceLine>;
  /** Calls in a row that found the service away or down. */
  troublesInARow: number;
  /** When the last refusal or trouble was reported to the others, monotonic ms; calls that were sent before add nothing. */
  reportedAt: number;
  /** The last refusal that was reported, and what became of the calls that were in flight then. */
  wave: { readonly sentAt: number; refused: number; taken: number } | null;
}

/**
 * The pace of the calls of this process. What all processes may do together is shared out by the ledger, as a lease for a moment; within its
 * share the process paces itself, in memory, without asking for each call.
 */
export class Pace {
  readonly #endpoints: Readonly<Record<EndpointClass, EndpointPace>> = {
    create: { lines: new Map(), troublesInARow: 0, reportedAt: Number.NEGATIVE_INFINITY, wave: null },
    read: { lines: new Map(), troublesInARow: 0, reportedAt: Number.NEGATIVE_INFINITY, wave: null },
  };

  /**
   * Waits for the turn of a call of a batch: for paid requests until shortly before its moment, see {@link atItsMoment}. The rate is the
   * one that the batch has now, also when it changes meanwhile. A paid request of a batch that no longer runs need not wait: its
   * intent will be refused. Rejects when the signal aborts first.
   */
  async take(deps: PaceNeeds, endpoint: EndpointClass, batch: string, signal: AbortSignal): Promise<Turn> {
    const { lines } = this.#endpoints[endpoint];
    let line = lines.get(batch);
    if (line === undefined) {
      const gaps = { aheadMs: AHEAD_MS[endpoint], apartMs: APART_MS[endpoint] };
      line = new PaceLine(endpoint, batch, gaps, () => this.#waveOf(endpoint));
      lines.set(batch, line);
    }
    return { endpoint, line, slot: await line.take(deps, signal) };
  }

  /**
   * How long the calls of the batch that wait for their turn keep it busy, about, ms. For so long it is the pace that limits them, not how soon
   * what is before them is done.
   */
  backlogMs(endpoint: EndpointClass, batch: string): number {
    return this.#endpoints[endpoint].lines.get(batch)?.backlogMs ?? 0;
  }

  /** Calls of the class in the second before that were not refused. */
  usedBefore(endpoint: EndpointClass, time: number): number {
    return [...this.#endpoints[endpoint].lines.values()].reduce((sum, line) => sum + line.pacer.usedBefore(time), 0);
  }

  /**
   * The rate that users have stated for the calls that this process made in the second before the turn, of all their batches: a refusal
   * counts all of them, too.
   */
  statedFor({ endpoint, line: own, slot }: Turn): number | null {
    const lines = [...this.#endpoints[endpoint].lines.values()];
    const used = lines.filter((line) => line === own || line.pacer.usedBefore(slot.at) > 0);
    return highestStated(used.map(({ limit }) => limit));
  }

  /** Pauses all calls of the class of this process: the ledger said so, for all processes. */
  pause(endpoint: EndpointClass, now: number, { pauseMs }: Pause): void {
    for (const line of this.#endpoints[endpoint].lines.values()) line.pauseUntil(now + pauseMs);
  }

  /** Whether a call that was sent then says something that this process has not reported to the others. */
  isUnreported({ endpoint, slot }: Turn): boolean {
    return slot.at > this.#endpoints[endpoint].reportedAt;
  }

  reported(endpoint: EndpointClass, now: number): void {
    this.#endpoints[endpoint].reportedAt = now;
  }

  /** A refusal is reported to the others: calls that are in flight now show whether it was a single one. */
  reportRefused({ endpoint, slot }: Turn, now: number): void {
    this.reported(endpoint, now);
    this.#endpoints[endpoint].wave = { sentAt: slot.at, refused: 0, taken: 0 };
  }

  /** A call had its answer: perhaps one of those that were in flight at the last refusal. */
  heard({ endpoint, slot }: Turn): void {
    const { wave, reportedAt } = this.#endpoints[endpoint];
    if (wave === null || slot.at > reportedAt) return;
    // Calls overtake each other: one that was sent before the refused one was rightly taken, and may be refused as well.
    if (slot.isRefused) wave.refused += 1;
    else if (slot.at > wave.sentAt) wave.taken += 1;
  }

  #waveOf(endpoint: EndpointClass): Wave | undefined {
    const { wave } = this.#endpoints[endpoint];
    if (wave === null) return undefined;
    const { refused, taken, sentAt } = wave;
    return { refused, taken, counted: this.usedBefore(endpoint, sentAt) };
  }

  /** One more call found the service away or down; returns how many there were in a row. */
  troubled(endpoint: EndpointClass): number {
    return (this.#endpoints[endpoint].troublesInARow += 1);
  }

  /** A call was answered in order; returns true if that ends a trouble that all processes know of. */
  answered(turn: Turn): boolean {
    this.heard(turn);
    const known = this.#endpoints[turn.endpoint];
    known.troublesInARow = 0;
    return [...known.lines.values()].some((line) => line.isTroubled);
  }
}

/**
 * Waits for the moment of a turn, and notes it as sent. That takes as long as turns are given ahead, and longer only where calls of others were
 * held up and went just before. Returns false where everybody was told to pause since the turn was given: its call had better not be made now.
 */
export async function atItsMoment({ clock }: Pick<PaceNeeds, 'clock'>, { line, slot }: Turn): Promise<boolean> {
  for (;;) {
    const { monotonic: now } = clock.now();
    const wait = line.pacer.depart(slot, now);
    if (wait <= 0) return line.pausedUntil <= now;
    await sleep(wait);
  }
}

/** Takes back a turn that is not used. */
export function giveBack({ line, slot }: Turn): void {
  line.pacer.giveBack(slot);
}
