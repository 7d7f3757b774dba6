import type { SingleJob } from '../../batches/single/single-job.ts';
import { defined } from '../../contract/defined.ts';
import type { JsonValue, TtsMode } from '../../contract/row-kinds.ts';

// Builds single jobs from a program's options or a command's flags. A job is one row of a manifest: its cells by
// column.

/** Further fields for the API, as in `api.<field>` columns. */
export type ApiFields = Readonly<Record<string, JsonValue>>;

/** Options for speaking a text. */
export interface SpeechOptions {
  /** Id of a voice, or `name:…`. */
  readonly voice?: string | undefined;
  readonly engine?: string | undefined;
  /** Audio format. Default: the API's. */
  readonly format?: string | undefined;
  /** Speaking rate, 0.5 to 2. */
  readonly speed?: number | string | undefined;
  readonly language?: string | undefined;
  /**
   * Transcribe the speech, at its price, and compare it with the text: `true`, or the allowed share of wrong words,
   * 0.02 to 0.6. Speech that does not pass ends `failed` and is kept. Default: false.
   */
  readonly verify?: boolean | number | string | undefined;
  /** A speech job, or the synchronous endpoint. Default `job`. */
  readonly tts?: TtsMode | undefined;
  readonly api?: ApiFields | undefined;
}

/** Options for transcribing a recording. */
export type TranscriptOptions = Pick<SpeechOptions, 'language' | 'api'>;

/** Builds the job that speaks a text. */
export function sayJob(text: string, options: SpeechOptions): SingleJob {
  const { voice, engine, format, speed, language, verify, tts, api } = options;
  const [speedCell, verifyCell] = [speed, verify].map((value) => (value === undefined ? undefined : String(value)));
  const columns = { voice, engine, format, speed: speedCell, language, verify: verifyCell };
  const cells = { text, ...defined(columns), ...apiCells(api) };
  return { command: 'say', kind: 'tts', cells, ...defined({ tts }) };
}

/** Builds the job that transcribes a recording. `audio`: a URL that the API can fetch. */
export function transcribeJob(audio: string, { language, api }: TranscriptOptions): SingleJob {
  return { command: 'transcribe', kind: 'stt', cells: { audio, ...defined({ language }), ...apiCells(api) } };
}

/** Builds the job that lip-syncs a video to an audio track. Both are URLs that the API can fetch. */
export function lipSyncJob(
  { video, audio }: { readonly video: string; readonly audio: string },
  { api }: Pick<SpeechOptions, 'api'>,
): SingleJob {
  return { command: 'lip-sync', kind: 'lip-sync', cells: { video, audio, ...apiCells(api) } };
}

/** A voice to make from recordings. */
export interface VoiceOptions {
  /** Paths of local recordings (wav, mp3, m4a, ogg, flac); at least one. */
  readonly samples: readonly string[];
  /** The spoken text of the recordings. */
  readonly transcript?: string | undefined;
  /** Any text about the voice. */
  readonly description?: string | undefined;
  /** Who may use it: `private` or `public`. Default: the API's. */
  readonly visibility?: string | undefined;
  readonly language?: string | undefined;
  readonly api?: ApiFields | undefined;
}

/** Builds the job that makes a voice. */
export function voiceJob(name: string, options: VoiceOptions): SingleJob {
  const { samples, transcript, description, visibility, language, api } = options;
  const columns = defined({ transcript, description, visibility, language });
  const cells = { name, samples: JSON.stringify(samples), ...columns, ...apiCells(api) };
  return { command: 'voice', typed: 'voices create', kind: 'voice', cells };
}

/** Further API fields as cells. */
function apiCells(api: ApiFields = {}): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(Object.entries(api).map(([field, value]) => [`api.${field}`, value]));
}
