/*
 * Paces the calls of one process within its share of a rate, at the moment of sending.
 *
 * Slots lie on a grid, so a late call does not delay those that follow. Missed slots (the process was busy, a pause
 * ended, there was nothing to send) are made up for, up to a second's worth and at twice the rate. And with a limit of
 * N, no call goes before the N-th call before it, by its actual time, is a second old: so there are never more than N
 * in any trailing second. The pacer checks this twice: when it grants a slot, and when the call is about to go, because
 * N others may have overtaken a delayed call.
 *
 * Calls of a high rate go together at ticks. They share wake-ups, messages to the ledger and commits, which cost more
 * than the rest of a row. Not under a learned rate: calls that go together are refused together, and teach less.
 *
 * Times are ms on any one clock.
 */

/** The right to send one call. */
export interface Slot {
  /** When the call is due; once sent, when it was sent. */
  at: number;
  /** The API refused the call, so it did not count there. */
  isRefused: boolean;
  /** The rate that the call belongs to, per second; null without a limit. */
  readonly rate: number | null;
}

/** What the process may use of the rate now. */
export interface PacerShare {
  /** Calls a second; above 0. */
  readonly rate: number;
  /** True if missed slots may be made up for. */
  readonly mayCatchUp: boolean;
  /** True if calls of a high rate may go together. */
  readonly mayBunch: boolean;
  /** No slot before this time. */
  readonly pausedUntil: number;
}

/** Share of a rate that is used; the rest allows for calls that arrive closer together than they were sent. */
const USE = 0.987;
/** The same if all calls are this process's own: then the trailing second alone keeps them apart. */
const USE_ALONE = 0.995;
const SECOND_MS = 1_000;
/** Added to the second in which calls are counted, ms. */
const WINDOW_SLACK_MS = 10;
/** Slots closer together than about this share a tick, ms. */
const TICK_MS = 25;
/** How many missed slots are made up for, ms. More than a second's worth would not fit into the second. */
const CATCH_UP_MS = 1_000;
/** Processes that start at the same moment spread over this time, ms. */
const SPREAD_MS = 100;
/** Missed slots are made up for at this multiple of the rate. */
const CATCH_UP_PACE = 2;
/**
 * How long slots are remembered, ms: the rate may have risen since, and a rate just above one per second counts over
 * two seconds.
 */
const REMEMBER_MS = 3_000;
/** Timers fire up to this early, ms. */
const TIMER_MS = 1;

/** Grants slots to the calls of one process, and keeps those of the last seconds, which count towards the limit. */
export class Pacer {
  /** Granted slots whose calls have not gone yet, in the order of granting. */
  #given: Slot[] = [];
  /** Slots whose calls were sent, in the order of sending. */
  #sent: Slot[] = [];
  /** Grid position of the last granted slot. */
  #last = Number.NEGATIVE_INFINITY;
  /** Some tick; all others are whole ticks away from it. */
  #tick = Number.NEGATIVE_INFINITY;
  readonly #phase: number;
  /** Old slots are dropped once this many are remembered. */
  #pruneAt = 64;
  /** Positions of slots that were granted and not used. */
  readonly #returned: number[] = [];

  /** @param phase this process's offset between the slots of others, in [0, 1). */
  constructor(phase: number) {
    this.#phase = phase;
  }

  /** The next slot if it is at most `aheadMs` ahead; otherwise the time to ask again. */
  next(share: PacerShare, now: number, aheadMs: number): Slot | { readonly notBefore: number } {
    const { rate, mayCatchUp, mayBunch, pausedUntil } = share;
    const gap = SECOND_MS / (rate * (mayCatchUp ? USE_ALONE : USE));
    const begin = Math.max(now, pausedUntil);
    const tick = mayBunch && gap < TICK_MS ? tickOf(rate) : 0;
    // A process that is not alone restarts at its own phase; otherwise all would send at the same moments after a
    // pause.
    if (!mayCatchUp && this.#last + gap + tick < begin)
      this.#last = begin + this.#phase * Math.min(gap, SPREAD_MS) - gap;
    const oldest = mayCatchUp ? now - CATCH_UP_MS : Number.NEGATIVE_INFINITY;
    while ((this.#returned[0] ?? Infinity) < oldest) this.#returned.shift();
    const place = Math.max(oldest, this.#returned[0] ?? this.#last + gap);
    const due = Math.max(place, pausedUntil, this.#afterTheLast(gap, tick));
    const onTick = tick > 0 ? this.#onTick(due, tick) : due;
    const at = Math.max(onTick, roomAfter(this.#fromTheEnd(callsOf(rate)), rate));
    if (at > now + aheadMs) return { notBefore: at - aheadMs };
    if (this.#returned.length > 0) this.#returned.shift();
    else this.#last = place;
    if (tick > 0) this.#tick = onTick;
    return this.#give({ at: Math.max(at, now), isRefused: false, rate });
  }

  /**
   * A slot without a limit: at once, but at least this gap after the previous one. It counts towards a limit found
   * later. Without the gap, all calls of one moment would be refused before the first refusal arrives.
   */
  unlimited(now: number, gapMs: number): Slot {
    const last = Math.max(this.#given.at(-1)?.at ?? 0, this.#sent.at(-1)?.at ?? 0);
    return this.#give({ at: last > 0 ? Math.max(now, last + gapMs) : now, isRefused: false, rate: null });
  }

  /**
   * Marks a slot's call as sent now and returns 0. Otherwise returns the ms after which to ask again: the slot is not
   * due yet, or others went late and the call would be one too many in the trailing second.
   */
  depart(slot: Slot, now: number): number {
    const { rate } = slot;
    const roomAt = rate === null ? slot.at : roomAfter(this.#sent.at(-callsOf(rate)), rate);
    const wait = Math.max(slot.at, roomAt) - now;
    if (wait >= TIMER_MS) return wait;
    remove(this.#given, slot);
    slot.at = now;
    this.#sent.push(slot);
    return 0;
  }

  /** Takes back an unused slot. */
  giveBack(slot: Slot): void {
    if (!remove(this.#given, slot) && !remove(this.#sent, slot)) return;
    this.#returned.push(slot.at);
  }

  /** Calls that were sent in the second before and not refused. */
  usedBefore(time: number): number {
    let used = 0;
    for (const slots of [this.#sent, this.#given])
      for (const { at, isRefused } of slots) if (!isRefused && at < time && at > time - SECOND_MS) used += 1;
    return used;
  }

  #give(slot: Slot): Slot {
    this.#given.push(slot);
    if (this.#given.length + this.#sent.length >= this.#pruneAt) {
      const oldest = slot.at - REMEMBER_MS;
      // A caller that never uses its slot need not give it back.
      this.#given = this.#given.filter(({ at }) => at > oldest);
      // A rate below one per second needs the last slot.
      this.#sent = this.#sent.filter(({ at }, index) => at > oldest || index === this.#sent.length - 1);
      this.#pruneAt = 2 * (this.#given.length + this.#sent.length) + 64;
    }
    return slot;
  }

  /** The slot this many from the end. A delayed call counts as the newest, because it may go at any moment. */
  #fromTheEnd(count: number): Slot | undefined {
    return this.#given.at(-count) ?? this.#sent.at(this.#given.length - count);
  }

  /** The first tick at or after a time. Ticks of a new rate continue from the last one. */
  #onTick(time: number, tick: number): number {
    if (this.#tick === Number.NEGATIVE_INFINITY) this.#tick = this.#phase * tick;
    return this.#tick + Math.ceil((time - this.#tick) / tick - 1e-6) * tick;
  }

  /** The earliest time that keeps catching up within its pace. */
  #afterTheLast(gap: number, tick: number): number {
    const together = Math.max(1, Math.floor((CATCH_UP_PACE * tick) / gap));
    const last = this.#fromTheEnd(together);
    if (last === undefined) return Number.NEGATIVE_INFINITY;
    // Half a tick: a slightly late call should not cost the next tick.
    return last.at + (tick > 0 ? tick / 2 : gap / CATCH_UP_PACE);
  }
}

/** When the trailing second that begins with this slot has room. A rate below one per second has a longer one. */
function roomAfter(first: Slot | undefined, rate: number): number {
  return first === undefined ? Number.NEGATIVE_INFINITY : first.at + windowOf(rate);
}

/** The number of calls that may fall into one window. */
function callsOf(rate: number): number {
  // Less a millionth, because the rate may be a whole number with a rounding error.
  return Math.max(1, Math.ceil(rate - 1e-6));
}

/** Length of that window, ms: a second, or slightly more for a fractional rate. */
function windowOf(rate: number): number {
  return (callsOf(rate) * SECOND_MS) / rate + WINDOW_SLACK_MS;
}

/** Length of a tick, ms: a window is a whole number of ticks, so that no call has to wait for the tick after it. */
function tickOf(rate: number): number {
  return windowOf(rate) / Math.round(windowOf(rate) / TICK_MS);
}

function remove(slots: Slot[], slot: Slot): boolean {
  const index = slots.lastIndexOf(slot);
  if (index >= 0) slots.splice(index, 1);
  return index >= 0;
}
