import type { AttemptKey, BatchSettings } from '../../contract/batch.ts';
import { NEVER_HALT } from '../../contract/halt.ts';
import { BUILT_IN_PRICES, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import { DEFAULT_TUNABLES, type BatchLimits } from '../../contract/tunables.ts';

/** The batch of these tests. */
export const BATCH = 'b';

/** Settings of the batch that differ from the defaults of these tests: no waiting, job endpoint, 8 on the wire, no cache. */
export type Wanted = Partial<Omit<BatchSettings, 'limits'>> & { readonly limits?: Partial<BatchLimits> };

export function keyOf(row: number, attempt = 1, step: Step = 'speech', take = 1): AttemptKey {
  return { batch: BATCH, row, step, take, attempt };
}

/** The settings of a batch; what is not wanted otherwise is the default of these tests. */
export function settingsOf({ limits, ...rest }: Wanted): BatchSettings {
  return {
    reading: { kind: null, defaults: {}, map: {}, tts: 'job' },
    tts: 'job',
    prices: BUILT_IN_PRICES,
    nameTemplate: '{id}.{ext}',
    firstLookMs: 0,
    pollGapMs: 20,
    jobDeadlineMs: 3_600_000,
    trust503: true,
    ...DEFAULT_TUNABLES,
    halt: NEVER_HALT,
    // Rows of these tests often ask for the same.
    cache: 'off',
    ...rest,
    limits: { ...DEFAULT_TUNABLES.limits, window: 100, ...limits },
  };
}

export function tts(text = 'Good morning.'): RowSpec {
  return { kind: 'tts', text, voice: 'narrator', extra: {} };
}

export function stt(audio = 'https://media.example/hello-world.mp3?seconds=2'): RowSpec {
  return { kind: 'stt', audio, extra: {} };
}

export function lipSync(n = 1): RowSpec {
  return {
    kind: 'lip-sync',
    video: `https://media.example/face-${n}.mp4`,
    audio: `https://media.example/voice-${n}.mp3?seconds=1`,
    extra: {},
  };
}

export function dub(text = 'Good evening.'): RowSpec {
  return { kind: 'dub', text, voice: 'narrator', video: 'https://media.example/face.mp4', extra: {} };
}
