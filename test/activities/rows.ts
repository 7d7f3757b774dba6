import type { AttemptKey, BatchSettings } from '../../contract/batch.ts';
import { NEVER_HALT } from '../../contract/halt.ts';
import { BUILT_IN_PRICES, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import { DEFAULT_TUNABLES, type BatchLimits } from '../../contract/tunables.ts';
import type { FaultPlan } from '../../simulator/fault-plan.ts';
import type { SpoiltSpeech } from '../../simulator/spoil-speech.ts';

/** The batch of these tests. */
export const BATCH = 'b';

/** Settings of the batch that differ from the defaults of these tests: no waiting, job endpoint, 8 on the wire, no cache. */
export type Wanted = Partial<Omit<BatchSettings, 'limits'>> & { readonly limits?: Partial<BatchLimits> };

/** A fault of the service. */
export type Rule = NonNullable<FaultPlan['rules']>[number];

/** What a request of somebody else is recorded with. */
export const INTENT = { quoted: 1, quotedRest: 0, owner: 'elsewhere', maxSending: 8 };

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

/** So many rows with texts of their own. */
export function texts(count: number, of = 'Line'): RowSpec[] {
  return Array.from({ length: count }, (_, index) => tts(`${of} ${String(index + 1)}.`));
}

/** The parts of a text. */
export const PARTS = ['One is here.', 'Two is a little longer than that.', 'Three ends it.'];

/** A text whose speech can lack a sentence. */
export const TEXT =
  'The harbour was quiet that night. Nobody heard the small boat come in. In the morning it was gone again.';

/** The row with this text, and its speech verified. */
export const verified = (spec: RowSpec = tts()): RowSpec => ({ ...spec, text: TEXT, verify: 0.25 });

/** A rule by which the next speech, or so many of them, is bad in this way. */
export const speaks = (as: SpoiltSpeech, times = 1): Rule => ({
  on: 'create',
  operation: 'speech-job',
  fault: { kind: 'speaks', as },
  times,
});

/** The API has forgotten every job. */
export const FORGOTTEN: Rule = { on: 'read', fault: { kind: 'status', status: 404 } };

/** What a redrive does that pays for nothing, and reads a job again. */
export const FREE = { paying: 0, waits: 1 };
