import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../../contract/defined.ts';
import type { Dialect } from '../../contract/dialects.ts';
import { ApiError, isRetryable, type SpeechApi, type Voice, type VoiceFilter } from '../speech-api.ts';

/**
 * The voices read from the API's list, by id. `cut`: the list could not be read to the end; the voices are those read
 * until then.
 */
export type VoicesRead =
  | { readonly type: 'read'; readonly voices: ReadonlyMap<string, Voice> }
  | { readonly type: 'cut'; readonly why: string; readonly voices: ReadonlyMap<string, Voice> };

/** What to look for in the list. */
export interface VoicesWanted {
  /** Reading stops when all of these have been found; undefined to read to the end. */
  readonly ids: ReadonlySet<string> | undefined;
  /** Time limit in ms, counted from the first request's turn. */
  readonly patienceMs: number;
  /** Max attempts; only temporary failures are retried. */
  readonly tries: number;
  /** Makes each request when its turn comes. By default at once. */
  readonly inTurn?: VoiceFilter['inTurn'];
}

type InTurn = NonNullable<VoiceFilter['inTurn']>;

/** Pause before the list is read again, ms; a longer one that the API asks for counts. */
const PAUSE_MS = 500;

/** Reads the account's list of voices, one page after the other; free. No answer of the API makes it throw. */
export async function readVoices(api: Pick<SpeechApi, 'listVoices'>, wanted: VoicesWanted): Promise<VoicesRead> {
  const { patienceMs, ids } = wanted;
  const inTurn: InTurn = wanted.inTurn ?? ((read) => read());
  const timeout = new LazyTimeout(patienceMs);
  if (wanted.inTurn === undefined) timeout.begin();
  const { signal: end } = timeout;
  const counted: InTurn = (read) =>
    inTurn(() => {
      timeout.begin();
      return read();
    });
  const voices = new Map<string, Voice>();
  try {
    for (let left = wanted.tries; ;) {
      try {
        voices.clear();
        await readInto(voices, api.listVoices({ inTurn: counted }, end), ids);
        return { type: 'read', voices };
      } catch (error) {
        if (end.aborted) return { type: 'cut', why: `it takes longer than ${String(patienceMs / 1_000)} s.`, voices };
        if (!(error instanceof ApiError)) throw error;
        const { failure } = error;
        if (--left <= 0 || !isRetryable(failure)) return { type: 'cut', why: failure.message, voices };
        // The time limit cuts an overlong pause short.
        await sleep(Math.max(PAUSE_MS, failure.retryAfterMs ?? 0), undefined, { signal: end }).catch(() => undefined);
      }
    }
  } finally {
    timeout.end();
  }
}

/** A time limit that starts on demand, once. */
class LazyTimeout {
  readonly #limitMs: number;
  readonly #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  begin(): void {
    this.#timer ??= setTimeout(() => {
      this.#ending.abort();
    }, this.#limitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Reads until all of `ids` have been found, or to the end if undefined. */
async function readInto(
  voices: Map<string, Voice>,
  list: AsyncIterable<Voice>,
  ids: ReadonlySet<string> | undefined,
): Promise<void> {
  const missing = ids === undefined ? undefined : new Set(ids);
  for await (const voice of list) {
    voices.set(voice.id, voice);
    missing?.delete(voice.id);
    // The list may be long.
    if (missing?.size === 0) return;
  }
}

/** Time limit for the current paths' list when it only supplements another, in ms. */
const TRAINING_PATIENCE_MS = 5_000;

/**
 * Reads the voices as a dialect's paths list them. Only the current paths tell which are in training; if they cannot be
 * read, that stays unknown.
 */
export async function readVoicesIn(
  api: Pick<SpeechApi, 'speaking'>,
  dialect: Dialect,
  wanted: VoicesWanted,
): Promise<VoicesRead> {
  const listed = await readVoices(api.speaking(dialect), wanted);
  if (listed.type === 'cut' || dialect === 'v1') return listed;
  const ids = new Set(wanted.ids ?? listed.voices.keys());
  const current = await readVoices(api.speaking('v1'), { ids, patienceMs: TRAINING_PATIENCE_MS, tries: 1 });
  const voices = [...listed.voices].map(([id, voice]): [string, Voice] => {
    const isInTraining = current.voices.get(id)?.isInTraining;
    return [id, { ...voice, ...defined({ isInTraining }) }];
  });
  return { type: 'read', voices: new Map(voices) };
}
