import { setTimeout as sleep } from 'node:timers/promises';
import type { SpeechApi } from '../../api/speech-api.ts';

/** Performs a read when the rate allows. */
export type InTurn = <T>(read: () => Promise<T>) => Promise<T>;

/** What {@link eachInTurn} paces. */
export type ApiReads = Pick<SpeechApi, 'readProfile' | 'listVoices' | 'listJobs' | 'readJob'>;
interface Clock {
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

const REAL_CLOCK: Clock = { now: () => performance.now(), wait: (ms) => sleep(ms) };

/** Limits all callers together to `rate` reads per second; null means no limit. */
export function atRate(rate: number | null, clock = REAL_CLOCK): InTurn {
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

/** Wraps an API's reads so that each request is paced. */
export function eachInTurn(api: ApiReads, inTurn: InTurn): ApiReads {
  return {
    readProfile: (signal) => inTurn(() => api.readProfile(signal)),
    listVoices: (filter, signal) => api.listVoices({ ...filter, inTurn }, signal),
    listJobs: (operation, page, limit, signal) => inTurn(() => api.listJobs(operation, page, limit, signal)),
    readJob: (...job) => inTurn(() => api.readJob(...job)),
  };
}
