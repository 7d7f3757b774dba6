import { mayCatchUp, steadyShare, type SteadyShare } from '../../../policy/pacing/catch-up.ts';
import { leadAfter, MIN_LEAD_MS } from '../../../policy/pacing/lead.ts';
import { lease, type LeaseAnswer } from '../../../policy/pacing/rate-lease.ts';
import { Pacer, type Slot } from '../../../policy/pacing/pacer.ts';
import { recordRefusal, type RateState } from '../../../policy/pacing/rate.ts';
import { seeded } from '../../chaos/seeded.ts';

/**
 * Processes that send as fast as they may to an API with a limit of calls in any trailing second, event by event,
 * without any clock but its own. Everything between them (the way there, the answer, the ledger) takes time.
 */
export interface Scene {
  readonly seed: number;
  readonly processes: number;
  /** When the processes after the first begin, ms; default: at once. */
  readonly joinAt?: number;
  /** The rate that the user states, or null. */
  readonly stated: number | null;
  /** What the API takes in any trailing second, at a time. */
  readonly limitAt: (now: number) => number;
  /** What a refusal asks for, ms. */
  readonly retryAfterMs?: number | undefined;
  /** Requests on the wire of each process, at most. */
  readonly submits: number;
  /** From the grant of a slot until its intent is on record, ms, least and most; default: {@link INTENT_MS}. */
  readonly intentMs?: readonly [number, number];
  /** From the send to the API, ms, least and most. */
  readonly wayMs: readonly [number, number];
  /** From the API's decision to the answer, ms, least and most. */
  readonly workMs: readonly [number, number];
  /** Calls that are refused though there is room, by the time from which on the next one is. */
  readonly strays?: readonly number[];
  /** Pauses in which a process does nothing (its event loop stands still), each second, ms. */
  readonly stallMs?: number;
  readonly lastsMs: number;
}

export interface Seen {
  /** Times at which the API took a call. */
  readonly accepted: readonly number[];
  /** Times at which it refused one. */
  readonly refused: readonly number[];
  /** Updates of the shared state. */
  readonly updates: number;
}

const ASK_EVERY_MS = 250;
const APART_MS = 1;
const LEDGER_MS = 4;
const INTENT_MS = [1, 8] as const;

interface Process {
  readonly owner: string;
  readonly pacer: Pacer;
  readonly sent: { readonly at: number; isRefused: boolean }[];
  /** When it told of a refusal last. */
  toldAt: number;
  held: (LeaseAnswer & { readonly since: number; readonly until: number }) | null;
  askedAt: number;
  isShort: boolean;
  wasAlone: boolean;
  steady: SteadyShare;
  onWire: number;
  leadMs: number;
  wakesAt: number;
}

export function simulate(scene: Scene): Seen {
  const random = seeded(scene.seed);
  const between = ([least, most]: readonly [number, number]): number => least + (most - least) * random();
  const events: { readonly at: number; readonly order: number; readonly run: () => void }[] = [];
  const seen = { accepted: [] as number[], refused: [] as number[], updates: 0 };
  const strays = [...(scene.strays ?? [])];
  let [now, order] = [0, 0];
  let state: RateState | undefined;

  const later = (at: number, run: () => void): void => {
    const event = { at: Math.max(at, now), order: order++, run };
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = events[middle];
      if (other !== undefined && (other.at > event.at || (other.at === event.at && other.order > event.order)))
        low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, event);
  };
  /** When a process can do something that is due now: not while it stands still. */
  const awake = (at: number): number => {
    const stall = scene.stallMs ?? 0;
    const into = at % 1_000;
    return into < stall ? at - into + stall : at;
  };
  const usedBy = (process: Process, until: number): number =>
    process.sent.filter(({ at, isRefused }) => !isRefused && at > until - 1_000 && at < until).length;

  const ask = (process: Process): void => {
    process.askedAt = now;
    const { isShort, owner } = process;
    process.isShort = false;
    later(now + LEDGER_MS, () => {
      const asked = {
        owner,
        batch: 'b',
        limit: scene.stated,
        want: isShort ? 1e9 : 1,
        used: Math.max(process.pacer.usedBefore(now), process.pacer.usedBefore(now + process.leadMs)),
        isShort,
        now,
      };
      const { state: next, result } = lease(state, asked);
      state = next;
      seen.updates += 1;
      const isAlone = result.isAlone && process.wasAlone;
      process.wasAlone = result.isAlone;
      process.steady = steadyShare(process.steady, result.rate, now);
      process.held = { ...result, isAlone, since: now, until: now + 750 };
      turn(process);
    });
  };

  const turn = (process: Process): void => {
    if (process.askedAt + ASK_EVERY_MS <= now) ask(process);
    const { held } = process;
    if (held === null || held.until <= now) return;
    while (process.onWire < scene.submits) {
      const pausedUntil = held.since + held.pauseMs;
      if (held.rate === null) {
        if (pausedUntil > now) {
          wake(process, pausedUntil);
          return;
        }
        dispatch(process, process.pacer.unlimited(now, APART_MS));
        continue;
      }
      if (held.rate <= 0) {
        process.isShort = true;
        wake(process, now + 50);
        return;
      }
      const slot = process.pacer.next(
        { rate: held.rate, mayCatchUp: mayCatchUp(held, process.steady, now), mayBunch: held.isStated, pausedUntil },
        now,
        process.leadMs,
      );
      if ('notBefore' in slot) {
        process.isShort = true;
        wake(process, Math.min(slot.notBefore, now + ASK_EVERY_MS));
        return;
      }
      dispatch(process, slot);
    }
  };

  const wake = (process: Process, at: number): void => {
    const due = awake(Math.ceil(at));
    if (process.wakesAt > now && process.wakesAt <= due) return;
    process.wakesAt = due;
    later(due, () => {
      if (process.wakesAt === due) turn(process);
    });
  };

  const dispatch = (process: Process, slot: Slot): void => {
    process.onWire += 1;
    const depart = (): void => {
      const wait = process.pacer.depart(slot, now);
      if (wait > 0) {
        later(awake(now + wait), depart);
        return;
      }
      const { held } = process;
      if (held !== null && held.since + held.pauseMs > now) {
        process.pacer.giveBack(slot);
        process.onWire -= 1;
        return;
      }
      const call = { at: now, isRefused: false };
      process.sent.push(call);
      const sentAt = now;
      later(now + between(scene.wayMs), () => {
        const floor = Math.floor(now);
        let count = 0;
        for (let back = seen.accepted.length - 1; back >= 0 && (seen.accepted[back] ?? 0) > floor - 1_000; back--)
          count += 1;
        const isStray = strays[0] !== undefined && strays[0] <= now;
        if (isStray) strays.shift();
        if (isStray || count >= scene.limitAt(now)) {
          seen.refused.push(floor);
          call.isRefused = true;
          later(awake(now + 1), () => {
            process.onWire -= 1;
            slot.isRefused = true;
            const { owner } = process;
            // The process knows of it, and so does everybody else.
            if (sentAt <= process.toldAt) return;
            process.toldAt = now;
            const news = { owner, counted: usedBy(process, sentAt), stated: scene.stated, sentAt, now };
            const wish = scene.retryAfterMs === undefined ? {} : { retryAfterMs: scene.retryAfterMs };
            state = recordRefusal(state, { ...news, ...wish });
            seen.updates += 1;
            const { held } = process;
            if (held !== null) process.held = { ...held, since: now, pauseMs: Math.max(250, scene.retryAfterMs ?? 0) };
            ask(process);
          });
          return;
        }
        seen.accepted.push(floor);
        later(awake(now + between(scene.workMs)), () => {
          process.onWire -= 1;
          turn(process);
        });
      });
    };
    const grantedAt = now;
    later(awake(now + between(scene.intentMs ?? INTENT_MS)), () => {
      process.leadMs = leadAfter(process.leadMs, now - grantedAt);
      later(awake(slot.at), depart);
    });
  };

  for (let index = 0; index < scene.processes; index++) {
    const process: Process = {
      ...{
        owner: `p${index}`,
        pacer: new Pacer(random()),
        sent: [],
        toldAt: -1e9,
        held: null,
        askedAt: -1e9,
        isShort: true,
        wasAlone: false,
        steady: { rate: null, since: 0 },
        onWire: 0,
        leadMs: MIN_LEAD_MS,
        wakesAt: 0,
      },
    };
    const beat = (): void => {
      turn(process);
      later(now + 50, beat);
    };
    later(index * 7 + (index > 0 ? (scene.joinAt ?? 0) : 0), beat);
  }
  for (let next = events.pop(); next !== undefined && next.at < scene.lastsMs; next = events.pop()) {
    now = next.at;
    next.run();
  }
  return seen;
}
