import type { Tariff } from './price-units.ts';

/**
 * The paid operations of the API, and the kinds of rows that are made of them: all that the product needs to know of an operation, so that
 * nothing else has to ask for one by its name. A new operation is an entry here and one in `api/operations/clients.ts`.
 */

/** What a cell of a column holds. */
interface CellValues {
  /** Any text of the user, as it is. */
  text: string;
  /** A name that the API knows, without white space around it. */
  name: string;
  /** A number that keeps the operation's limits. */
  number: number;
  /** A number over 0. */
  seconds: number;
  /** An http(s) URL that the service can fetch. */
  link: string;
}

/**
 * The manifest columns that kinds read, and what their cells hold. Every kind also takes `id`, `kind`, `api.*` and ignores `_*`. A new
 * column is an entry here and a word in `takes` of each operation below that reads it; a test names the request bodies that lack it.
 */
export const COLUMN_CELLS = {
  text: 'text',
  voice: 'name',
  engine: 'name',
  format: 'name',
  /** Speaking rate. */
  speed: 'number',
  language: 'name',
  /** A recording (`stt`) or an audio track (`lip-sync`). */
  audio: 'link',
  video: 'link',
  /** Length of the billed media: stated in the manifest, else probed, else assumed. Used for the price only. */
  duration: 'seconds',
} as const satisfies Readonly<Record<string, keyof CellValues>>;

type Cells = typeof COLUMN_CELLS;
/** A manifest column that a kind reads. */
export type SpecColumn = keyof Cells;
/** A column that holds the link to a recording or a video. */
export type MediaColumn = { [C in SpecColumn]: Cells[C] extends 'link' ? C : never }[SpecColumn];
/** A column that holds what only the user should read: it is kept out of messages, also where the API repeats it. */
export type PrivateColumn = { [C in SpecColumn]: Cells[C] extends 'text' | 'link' ? C : never }[SpecColumn];
/** A value for each column that is filled. */
export type ColumnValues = { readonly [C in SpecColumn]?: CellValues[Cells[C]] };

/** Numbers that the API takes, the bounds included. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

export interface OperationFacts {
  /** `job`: the answer names a job to wait for. `direct`: the answer is the result itself. */
  readonly style: 'job' | 'direct';
  readonly result: 'audio' | 'video' | 'transcript';
  /**
   * Whether the API lists the account's jobs of this kind, so that one whose answer was lost can be looked up, and several can be looked at by a
   * page. It is recognised by the inputs that the list repeats, and these two are all that `policy/match-lost-job.ts` can compare.
   */
  readonly list: { readonly recognisedBy: readonly ['video', 'audio'] } | null;
  /** What it reads of a row and cannot do without. */
  readonly needs: readonly SpecColumn[];
  /** What else it reads of a row. */
  readonly takes: readonly SpecColumn[];
  /** The media whose length is billed, the longest of them. The row may state that length in `duration`. */
  readonly lengthOf: readonly MediaColumn[];
  /** Its jobs take about as long as others that agree in these columns. */
  readonly pacedBy: readonly SpecColumn[];
  /** Our reading of public material, where the user sets no price. */
  readonly price: Tariff;
  /** What the API takes in a column. */
  readonly limits: { readonly [C in SpecColumn]?: Bounds };
}

/** Both ways of speaking. */
const SPEECH = {
  result: 'audio',
  list: null,
  needs: ['text', 'voice'],
  takes: ['engine', 'format', 'speed', 'language'],
  lengthOf: [],
  pacedBy: ['voice', 'engine'],
  // One client's measurement: 1 credit per CJK character, half a credit per other character, rounded up per request.
  price: { unit: 'character', credits: 0.5, cjkFactor: 2 },
  limits: { speed: { least: 0.5, most: 2 } },
} as const;

const OPERATION_TABLE = {
  'speech-job': { style: 'job', ...SPEECH },
  'speech-sync': { style: 'direct', ...SPEECH },
  transcription: {
    style: 'direct',
    result: 'transcript',
    list: null,
    needs: ['audio'],
    takes: ['language'],
    lengthOf: ['audio'],
    pacedBy: [],
    // A published sample: 12.4 s for 13 credits.
    price: { unit: 'second', credits: 1 },
    limits: {},
  },
  'lip-sync-job': {
    style: 'job',
    result: 'video',
    list: { recognisedBy: ['video', 'audio'] },
    needs: ['video', 'audio'],
    takes: [],
    // Our cautious reading: public material says "processed duration", and in one place the shorter of the two.
    lengthOf: ['video', 'audio'],
    pacedBy: [],
    price: { unit: 'second', credits: 1 },
    limits: {},
  },
  // Speech and lip-sync by one job. Named in one place only, and with no word about a list.
  'video-dubbing-job': {
    style: 'job',
    result: 'video',
    list: null,
    needs: ['text', 'voice', 'video'],
    takes: [],
    lengthOf: ['video'],
    pacedBy: ['voice'],
    // No figure is public: that of the speech, and of a lip-sync as long as it is (15 characters a second).
    price: { unit: 'character', credits: 0.6, cjkFactor: 2 },
    limits: {},
  },
} as const satisfies Record<string, OperationFacts>;

/** One paid operation of the API, as the client knows it. */
export type Operation = keyof typeof OPERATION_TABLE;
type Table = typeof OPERATION_TABLE;
/** Names of jobs that can be read by id. */
export type JobOperation = { [O in Operation]: Table[O]['style'] extends 'job' ? O : never }[Operation];
/** Names of jobs that the API lists. */
export type ListedOperation = { [O in JobOperation]: Table[O]['list'] extends null ? never : O }[JobOperation];

export const OPERATION_FACTS: Readonly<Record<Operation, OperationFacts>> = OPERATION_TABLE;

/** One paid operation of a row, as the user sees it (`_job_ids`, receipts, `explain`). In the order in which a row does them. */
export const STEPS = ['speech', 'transcription', 'lip-sync', 'video-dubbing'] as const;
export type Step = (typeof STEPS)[number];

export interface StepDefinition {
  readonly step: Step;
  readonly operation: Operation;
  /** What carries it out instead, where the user wants speech at once (`--tts sync`). */
  readonly atOnce?: Operation;
  /** What it needs of a step before: the link to that one's result, in place of a column. That step must be a job. */
  readonly link?: { readonly column: MediaColumn; readonly of: Step };
}

export interface KindFacts {
  /** Paid steps, in order; each waits for the one before it. */
  readonly steps: readonly [StepDefinition, ...StepDefinition[]];
  /** Only a `kind` column or `--kind` makes such a row, since its columns are those of another kind, too. */
  readonly onlyByName?: true;
}

const KIND_TABLE = {
  tts: { steps: [{ step: 'speech', operation: 'speech-job', atOnce: 'speech-sync' }] },
  stt: { steps: [{ step: 'transcription', operation: 'transcription' }] },
  'lip-sync': { steps: [{ step: 'lip-sync', operation: 'lip-sync-job' }] },
  dub: {
    steps: [
      // Always a job: its link is what the lip-sync create is given.
      { step: 'speech', operation: 'speech-job' },
      { step: 'lip-sync', operation: 'lip-sync-job', link: { column: 'audio', of: 'speech' } },
    ],
  },
  'video-dubbing': { steps: [{ step: 'video-dubbing', operation: 'video-dubbing-job' }], onlyByName: true },
} as const satisfies Record<string, KindFacts>;

/** What a row is. */
export type Kind = keyof typeof KIND_TABLE;

export const KIND_FACTS: Readonly<Record<Kind, KindFacts>> = KIND_TABLE;
