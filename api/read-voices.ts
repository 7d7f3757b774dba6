import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../contract/defined.ts';
import { ApiError, mayHeal, type SpeechApi, type Voice, type VoiceFilter } from './speech-api.ts';

/** What was read of the API's list of voices. `cut`: it could not be read to its end. */
export type VoicesRead =
  | { readonly type: 'read'; /** By id. */ readonly voices: ReadonlyMap<string, Voice> }
  | { readonly type: 'cut'; readonly why: string };

/** What to look for in the list. */
export interface VoicesWanted {
  /** The reading stops when all of these have been found; undefined: it goes on to the end. */
  readonly ids: ReadonlySet<string> | undefined;
  /** How long it may take, ms. */
  readonly patienceMs: number;
  /** How often it may begin again after a failure that may heal. */
  readonly tries: number;
  /** Makes each request when its turn comes. Default: at once. */
  readonly inTurn?: VoiceFilter['inTurn'];
}

/** Pause before the list is read again, ms; a longer one that the API asks for counts. */
const PAUSE_MS = 500;

/** Reads the account's list of voices, one page after the other; free. No answer of the API makes it throw. */
export async function readVoices(api: Pick<SpeechApi, 'listVoices'>, wanted: VoicesWanted): Promise<VoicesRead> {
  const { patienceMs } = wanted;
  const end = AbortSignal.timeout(patienceMs);
  for (let left = wanted.tries; ;) {
    try {
      return await readOnce(api, wanted, end);
    } catch (error) {
      if (end.aborted) return { type: 'cut', why: `it takes longer than ${String(patienceMs / 1_000)} s.` };
      if (!(error instanceof ApiError)) throw error;
      const { failure } = error;
      if (--left <= 0 || !mayHeal(failure)) return { type: 'cut', why: failure.message };
      // Too long a pause ends in the time limit.
      await sleep(Math.max(PAUSE_MS, failure.retryAfterMs ?? 0), undefined, { signal: end }).catch(() => undefined);
    }
  }
}

async function readOnce(
  api: Pick<SpeechApi, 'listVoices'>,
  { ids, inTurn }: VoicesWanted,
  signal: AbortSignal,
): Promise<VoicesRead> {
  const voices = new Map<string, Voice>();
  const missing = ids === undefined ? undefined : new Set(ids);
  for await (const voice of api.listVoices(defined({ inTurn }), signal)) {
    voices.set(voice.id, voice);
    missing?.delete(voice.id);
    // The list may be long.
    if (missing?.size === 0) return { type: 'read', voices };
  }
  return { type: 'read', voices };
}
