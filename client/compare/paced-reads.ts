import { setTimeout as sleep } from 'node:timers/promises';
import type { SpeechApi } from '../../api/speech-api.ts';

/** Starts a read as soon as the rate allows. */
export type Pacer = <T>(read: () => Promise<T>) => Promise<T>;

/** The API's reads that {@link paceReads} wraps. */
export type ApiReads = Pick<SpeechApi, 'readProfile' | 'listVoices' | 'listJobs' | 'readJob'>;

interface Clock {
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

const REAL_CLOCK: Clock = { now: () => performance.now(), wait: (ms) => sleep(ms) };

/** Creates a pacer that limits all its callers together to `rate` reads per second; null means no limit. */
export function createPacer(rate: number | null, clock = REAL_CLOCK): Pacer {
  let nextAt = -Infinity;
  return async (read) => {
    if (rate !== null) {
      const now = clock.now();
      const at = Math.max(now, nextAt);
      nextAt = at + 1000 / rate;
      if (at > now) await clock.wait(at - now);
    }
    return read();
  };
}

/**
 * Wraps an API's reads so that each request is paced. `listVoices` paces its pages itself: it sends several requests.
 */
export function paceReads(api: ApiReads, inTurn: Pacer): ApiReads {
  return {
    readProfile: (signal) => inTurn(() => api.readProfile(signal)),
    listVoices: (filter, signal) => api.listVoices({ ...filter, inTurn }, signal),
    listJobs: (operation, page, limit, signal) => inTurn(() => api.listJobs(operation, page, limit, signal)),
    readJob: (...job) => inTurn(() => api.readJob(...job)),
  };
}
