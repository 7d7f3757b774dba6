/**
 * Paces the calls of one process by its share of a rate, at the moment of sending.
 *
 * Slots lie on a grid, so a call that goes late does not shift those that follow. Slots that were missed (the process was busy, a pause was
 * over, there was nothing to send yet) are made up for, up to a second's worth and at twice the rate. And of any calls that are as many as
 * the limit apart, the later one waits until the earlier one, as it was really sent, is a second old: so there are never more than the
 * limit in any trailing second. That is looked at twice: when a slot is given, and when its call is about to go, for one that was held up
 * may have been overtaken by as many as the limit.
 *
 * Calls of a high rate go at the next tick, a few together. They share wake-ups, messages to the ledger and commits, which cost more than the
 * rest of a row. Not so where refusals have taught the rate: calls that go together are refused together, and teach less.
 *
 * Times are ms on one clock, which one does not matter.
 */
export interface Slot {
  /** When the call is to go; when it was sent, once it was. */
  at: number;
  /** The API refused the call: it did not count there. */
  isRefused: boolean;
  /** Calls a second that it is one of; null where nothing limits them. */
  readonly rate: number | null;
}

export interface PacerShare {
  /** Calls a second; above 0. */
  readonly rate: number;
  /** Missed slots may be made up for. */
  readonly mayCatchUp: boolean;
  /** Calls of a high rate may go a few together. */
  readonly mayBunch: boolean;
  /** No slot before this. */
  readonly pausedUntil: number;
}

/** Part of a rate that is used: the rest is for calls that come to the API closer together than they were sent. */
const USE = 0.987;
/** The same where all calls are this process's own: then the second in which they are counted keeps them apart. */
const USE_ALONE = 0.995;
const SECOND_MS = 1_000;
/** Added to the second in which calls are counted, ms. */
const WINDOW_SLACK_MS = 10;
/** Slots closer to each other than about this go together, ms. */
const TICK_MS = 25;
/** Missed slots that are made up for, ms. More than a second's worth would not fit into the second. */
const CATCH_UP_MS = 1_000;
/** Processes that begin at the same moment spread over so much time, ms. */
const SPREAD_MS = 100;
const CATCH_UP_PACE = 2;
/** Slots are remembered for so long, ms: a rate may have risen since, and a rate of little more than one a second counts for two of them. */
const REMEMBER_MS = 3_000;
/** Timers end up to so much early, ms. */
const TIMER_MS = 1;

export class Pacer {
  /** Slots whose calls are still to go, in the order in which they were given. */
  #given: Slot[] = [];
  /** Slots whose calls were sent, in the order of their sending. */
  #sent: Slot[] = [];
  /** Place on the grid of the last slot that was given. */
  #last = Number.NEGATIVE_INFINITY;
  /** A tick; all others are whole ticks from it. */
  #tick = Number.NEGATIVE_INFINITY;
  readonly #phase: number;
  #pruneAt = 64;
  /** The second before the first call counts as missed slots, once it is known that nobody else has used them. */
  #isCredited = false;
  /** Places of slots that were given and not used. */
  readonly #returned: number[] = [];

  /** @param phase where among the slots of other processes this one's lie, in [0, 1). */
  constructor(phase: number) {
    this.#phase = phase;
  }

  /** The next slot, if it lies no further ahead than `aheadMs`; otherwise when it will. */
  next(share: PacerShare, now: number, aheadMs: number): Slot | { readonly notBefore: number } {
    const { rate, mayCatchUp, mayBunch, pausedUntil } = share;
    const gap = SECOND_MS / (rate * (mayCatchUp ? USE_ALONE : USE));
    const begin = Math.max(now, pausedUntil);
    const tick = mayBunch && gap < TICK_MS ? tickOf(rate) : 0;
    // Whoever is not alone begins anew at a place of his own, or all would send at the same moments after a pause.
    if (!mayCatchUp && this.#last + gap + tick < begin)
      this.#last = begin + this.#phase * Math.min(gap, SPREAD_MS) - gap;
    if (mayCatchUp && !this.#isCredited) {
      this.#isCredited = true;
      this.#last -= CATCH_UP_MS;
    }
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
   * A slot where nothing limits: at once, but this long after the one before. It counts in the second before a limit that is found. The
   * gap is there because calls that go at the same moment would all be refused before the first refusal is heard.
   */
  unlimited(now: number, gapMs: number): Slot {
    const last = Math.max(this.#given.at(-1)?.at ?? 0, this.#sent.at(-1)?.at ?? 0);
    return this.#give({ at: last > 0 ? Math.max(now, last + gapMs) : now, isRefused: false, rate: null });
  }

  /**
   * Notes that the call of a slot goes now, and returns 0; or in how many ms to ask again, because its moment has not come, or others went
   * late and it would be one too many in the trailing second.
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

  /** Takes a slot back that is not used. */
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
      // Whoever never used a slot need not have given it back.
      this.#given = this.#given.filter(({ at }) => at > oldest);
      // The last one counts for a rate below one a second.
      this.#sent = this.#sent.filter(({ at }, index) => at > oldest || index === this.#sent.length - 1);
      this.#pruneAt = 2 * (this.#given.length + this.#sent.length) + 64;
    }
    return slot;
  }

  /** The slot so many from the end. One whose call is held up counts as the newest: it may go at any moment. */
  #fromTheEnd(count: number): Slot | undefined {
    return this.#given.at(-count) ?? this.#sent.at(this.#given.length - count);
  }

  /** The first tick that is not before. Ticks of another rate go on from the last one. */
  #onTick(time: number, tick: number): number {
    if (this.#tick === Number.NEGATIVE_INFINITY) this.#tick = this.#phase * tick;
    return this.#tick + Math.ceil((time - this.#tick) / tick - 1e-6) * tick;
  }

  /** When those that make up for missed slots are not too many at once. */
  #afterTheLast(gap: number, tick: number): number {
    const together = Math.max(1, Math.floor((CATCH_UP_PACE * tick) / gap));
    const last = this.#fromTheEnd(together);
    if (last === undefined) return Number.NEGATIVE_INFINITY;
    // Half a tick: one that went a little late does not cost the next tick.
    return last.at + (tick > 0 ? tick / 2 : gap / CATCH_UP_PACE);
  }
}

/** When there is room in the trailing second that begins with this slot. A rate below one a second has a longer one. */
function roomAfter(first: Slot | undefined, rate: number): number {
  return first === undefined ? Number.NEGATIVE_INFINITY : first.at + windowOf(rate);
}

/** Calls that are counted against each other. */
function callsOf(rate: number): number {
  return Math.max(1, Math.ceil(rate - 1e-6));
}

/** The time in which they may be made, ms: a second, or a little more where the rate is no whole number. */
function windowOf(rate: number): number {
  return (callsOf(rate) * SECOND_MS) / rate + WINDOW_SLACK_MS;
}

/** Length of a tick, ms: that time is a whole number of them, so that no call waits for the tick after it. */
function tickOf(rate: number): number {
  return windowOf(rate) / Math.round(windowOf(rate) / TICK_MS);
}

function remove(slots: Slot[], slot: Slot): boolean {
  const index = slots.lastIndexOf(slot);
  if (index >= 0) slots.splice(index, 1);
  return index >= 0;
}
