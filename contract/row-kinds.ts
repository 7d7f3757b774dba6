/**
 * What a row can be, and which paid operations it is made of.
 *
 * A new operation of the API is an entry here and a file in `api/operations/`; nothing else branches on it.
 */

/** One paid operation of the API, as the client knows it. The name is also its file in `api/operations/`. */
export const OPERATIONS = ['speech-job', 'speech-sync', 'transcription', 'lip-sync-job'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** How an operation answers: with a job to wait for, or with the result itself. */
export const OPERATION_STYLE = {
  'speech-job': 'job',
  'speech-sync': 'sync',
  transcription: 'sync',
  'lip-sync-job': 'job',
} as const satisfies Record<Operation, 'job' | 'sync'>;

/** One paid operation of a row, as the user sees it (`_job_ids`, receipts, `explain`). */
export const STEPS = ['speech', 'transcription', 'lip-sync'] as const;
export type Step = (typeof STEPS)[number];

export const KINDS = ['tts', 'stt', 'lip-sync', 'dub'] as const;
export type Kind = (typeof KINDS)[number];

/** A manifest column that a kind reads. Every kind also takes `id`, `kind`, `api.*` and ignores `_*`. */
export type SpecColumn = 'text' | 'voice' | 'engine' | 'format' | 'speed' | 'language' | 'audio' | 'video' | 'duration';

export interface KindDefinition {
  /** Columns without which the row is an error. */
  readonly required: readonly SpecColumn[];
  /** Columns the kind also understands. A filled known column that is in neither list is a warning, under `--strict` an error. */
  readonly optional: readonly SpecColumn[];
  /** Paid steps, in order; each waits for the one before it. */
  readonly steps: readonly Step[];
}

export const ROW_KINDS: Readonly<Record<Kind, KindDefinition>> = {
  tts: { required: ['text', 'voice'], optional: ['engine', 'format', 'speed', 'language'], steps: ['speech'] },
  stt: { required: ['audio'], optional: ['language', 'duration'], steps: ['transcription'] },
  'lip-sync': { required: ['video', 'audio'], optional: ['duration'], steps: ['lip-sync'] },
  dub: {
    required: ['text', 'voice', 'video'],
    optional: ['engine', 'format', 'speed', 'language', 'duration'],
    steps: ['speech', 'lip-sync'],
  },
};

/** How `tts` rows are spoken: as an asynchronous job (default) or by the synchronous endpoint. */
export type TtsMode = 'job' | 'sync';

/**
 * The operation that carries out a step of a row.
 * The speech of a `dub` is always a job: its link is what the lip-sync create is given.
 */
export function operationOf(kind: Kind, step: Step, tts: TtsMode): Operation {
  switch (step) {
    case 'speech':
      return kind === 'tts' && tts === 'sync' ? 'speech-sync' : 'speech-job';
    case 'transcription':
      return 'transcription';
    case 'lip-sync':
      return 'lip-sync-job';
  }
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** What a row asks for, after defaults and `--map`: everything that shapes its paid requests. */
export interface RowSpec {
  readonly kind: Kind;
  readonly text?: string;
  readonly voice?: string;
  readonly engine?: string;
  readonly format?: string;
  /** Speaking rate, 0.5 to 2. */
  readonly speed?: number;
  readonly language?: string;
  /** http(s) URL of a recording (`stt`) or an audio track (`lip-sync`). */
  readonly audio?: string;
  /** http(s) URL of a video. */
  readonly video?: string;
  /** Length of the billed media in seconds: stated in the manifest, else probed, else assumed. Used for the price only. */
  readonly duration?: number;
  /** `api.<field>` columns: sent to the API as they are, by field name. */
  readonly extra: Readonly<Record<string, JsonValue>>;
}
