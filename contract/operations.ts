import type { Dialect } from './dialects.ts';
import type { OwnOperation } from './own-operation.ts';
import type { Tariff } from './price-units.ts';

/**
 * The paid operations of the API, and the kinds of rows made of them. This is all that the product knows about an
 * operation, so no other code asks for one by name. A new operation is an entry here, one in `request-fields.ts` and
 * one in `api/operations/clients.ts`. Operations of a user's own come to these tables by `add-operations.ts`, before
 * the first row is read.
 */

/**
 * A name that is not known before the program runs: of a user's own operation, its kind, its step or one of its
 * columns.
 */
export type OwnName = string & { readonly ownName: never };

/** What a cell of a column holds. */
export type CellKind = keyof CellValues;
interface CellValues {
  /** The user's text, unchanged. */
  text: string;
  /** A name that the API knows, trimmed. */
  name: string;
  /** A number within the operation's limits. */
  number: number;
  /** A number above 0. */
  seconds: number;
  /** An http(s) URL that the API can fetch. */
  link: string;
  /** Files of this machine, as they were when the row was checked. */
  files: readonly LocalFile[];
  /** The share of words that may be wrong, above 0; see `contract/verify.ts`. */
  threshold: number;
}

/** A file that is sent along with a request. A file with another content is another file, whatever its path. */
export interface LocalFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  /** sha256 of the content, hex. */
  readonly sha256: string;
  /** What the content is, in the words of a file extension: `wav`. */
  readonly extension: string;
  /** Length of the recording. */
  readonly seconds: number;
}

/**
 * The manifest columns that kinds read, and what their cells hold. Every kind also reads `id`, `kind` and `api.*`, and
 * ignores `_*`. A new column is an entry here and a word in `takes` of each operation below that reads it; the compiler
 * then asks what requests call it (`request-fields.ts`).
 */
const CELL_TABLE = {
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
  /** Length of the billed media: stated in the manifest, else probed, else assumed. Used only for the price. */
  duration: 'seconds',
  /** How long the result may play; see `contract/max-seconds.ts`. No request contains it. */
  max_seconds: 'seconds',
  /** What a new voice is called. */
  name: 'name',
  /** Recordings of the person whose voice it is. */
  samples: 'files',
  /** What is said in them. */
  transcript: 'text',
  description: 'text',
  /** Who may use a new voice. */
  visibility: 'name',
  /** Whether its speech is transcribed and compared with the text; filled only if it is. No request contains it. */
  verify: 'threshold',
} as const satisfies Readonly<Record<string, keyof CellValues>>;

type Cells = typeof CELL_TABLE;
type BuiltInColumn = keyof Cells;
type ColumnsThatHold<V> = { [C in BuiltInColumn]: Cells[C] extends V ? C : never }[BuiltInColumn];
/** A manifest column that a kind reads. */
export type SpecColumn = BuiltInColumn | OwnName;
/** A column that holds a link to a recording or a video. */
export type MediaColumn = ColumnsThatHold<'link'>;
/** A column whose content only the user should read: it is kept out of messages, even if the API repeats it. */
export type PrivateColumn = ColumnsThatHold<'text' | 'link'> | OwnName;
/** A value for each filled column. */
export type ColumnValues = { readonly [C in BuiltInColumn]?: CellValues[Cells[C]] } & {
  readonly [own: OwnName]: string | number | undefined;
};

/** Of the columns that come with voxbatch. */
export const BUILT_IN_CELLS: Readonly<Record<BuiltInColumn, CellKind>> = CELL_TABLE;
/** By column; see {@link cellOf}. */
export const COLUMN_CELLS: Readonly<Record<SpecColumn, CellKind>> = { ...CELL_TABLE };

/** What the cells of a column hold. Throws {@link UnknownName}. */
export function cellOf(column: SpecColumn): CellKind {
  const cell = COLUMN_CELLS[column];
  if (cell === undefined) throw new UnknownName('column', column);
  return cell;
}

/** Numbers that the API accepts, bounds included. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Everything other code needs to know about a kind of result. */
interface ResultFacts {
  /** What its file holds; null: it is the id of something that stays with the API, and no file. */
  readonly family: 'audio' | 'video' | 'text' | null;
  /** Whether its file plays, and so has a length. */
  readonly isPlayed: boolean;
}

/** What a paid operation may give. */
export const RESULT_FACTS = {
  audio: { family: 'audio', isPlayed: true },
  video: { family: 'video', isPlayed: true },
  transcript: { family: 'text', isPlayed: false },
  voice: { family: null, isPlayed: false },
} as const satisfies Readonly<Record<string, ResultFacts>>;
export type ResultKind = keyof typeof RESULT_FACTS;

export interface OperationFacts {
  /** The dialects of the API that have it. */
  readonly dialects: readonly Dialect[];
  /** `job`: the answer names a job to wait for. `direct`: the answer is the result itself. */
  readonly style: 'job' | 'direct';
  readonly result: ResultKind;
  /**
   * Whether the API lists what the account made by this operation, to look up what a request whose answer was lost has
   * made. A job is recognised by the inputs that the list repeats
   * (`policy/reconcile/match-lost-job.ts`), a voice by its name (`policy/voices/match-lost-voice.ts`).
   */
  readonly list: { readonly recognisedBy: readonly ['video', 'audio'] | readonly ['name'] } | null;
  /** Columns it reads and requires. */
  readonly needs: readonly SpecColumn[];
  /** Other columns it reads. */
  readonly takes: readonly SpecColumn[];
  /** The media whose length is billed; the longest counts. The row may state that length in `duration`. */
  readonly lengthOf: readonly MediaColumn[];
  /** Our reading of public material, used if the user sets no price. */
  readonly price: Tariff;
  /** What the API accepts in a column. */
  readonly limits: { readonly [C in SpecColumn]?: Bounds };
  /** The only words that the API knows for a column. Default: any. */
  readonly words?: { readonly [C in SpecColumn]?: readonly string[] };
  /** How it is requested, if it is a user's own. */
  readonly own?: OwnOperation;
}

/** Both ways of speaking. */
const SPEECH = {
  result: 'audio',
  list: null,
  needs: ['text', 'voice'],
  takes: ['engine', 'format', 'speed', 'language'],
  lengthOf: [],
  // One client's measurement: 1 credit per CJK character, half a credit per other character, rounded up per request.
  price: { unit: 'character', credits: 0.5, cjkFactor: 2 },
  limits: { speed: { least: 0.5, most: 2 } },
} as const;

const OPERATION_TABLE = {
  'speech-job': { dialects: ['v1'], style: 'job', ...SPEECH },
  'speech-sync': { dialects: ['v1', 'legacy'], style: 'direct', ...SPEECH },
  transcription: {
    dialects: ['v1'],
    style: 'direct',
    result: 'transcript',
    list: null,
    needs: ['audio'],
    takes: ['language'],
    lengthOf: ['audio'],
    // A published sample: 12.4 s for 13 credits.
    price: { unit: 'second', credits: 1 },
    limits: {},
  },
  'lip-sync-job': {
    dialects: ['v1', 'legacy'],
    style: 'job',
    result: 'video',
    list: { recognisedBy: ['video', 'audio'] },
    needs: ['video', 'audio'],
    takes: [],
    // Our cautious reading: public material says "processed duration", and in one place the shorter of the two.
    lengthOf: ['video', 'audio'],
    price: { unit: 'second', credits: 1 },
    limits: {},
  },
  // Speech and lip-sync in one job. Only one source names it, and does not mention a list.
  'video-dubbing-job': {
    dialects: ['v1'],
    style: 'job',
    result: 'video',
    list: null,
    needs: ['text', 'voice', 'video'],
    takes: [],
    lengthOf: ['video'],
    // No public figure: speech plus lip-sync of the same length (15 characters a second).
    price: { unit: 'character', credits: 0.6, cjkFactor: 2 },
    limits: {},
  },
  voice: {
    dialects: ['v1', 'legacy'],
    style: 'direct',
    result: 'voice',
    list: { recognisedBy: ['name'] },
    needs: ['name', 'samples'],
    takes: ['transcript', 'description', 'visibility', 'language'],
    lengthOf: [],
    // A figure that one client shows to its users.
    price: { unit: 'job', credits: 2_000 },
    limits: {},
    words: { visibility: ['private', 'public'] },
  },
} as const satisfies Record<string, OperationFacts>;

type Table = typeof OPERATION_TABLE;
/** An operation that comes with voxbatch. */
export type BuiltInOperation = keyof Table;
/** One paid operation of the API. */
export type Operation = BuiltInOperation | OwnName;
/** The columns that an operation reads. */
export type ColumnsOf<O extends BuiltInOperation> = Table[O]['needs'][number] | Table[O]['takes'][number];
type BuiltInJob = { [O in BuiltInOperation]: Table[O]['style'] extends 'job' ? O : never }[BuiltInOperation];
/** Operations whose jobs can be read by id. */
export type JobOperation = BuiltInJob | OwnName;
/** Operations whose jobs the API lists. */
export type ListedOperation = { [O in BuiltInJob]: Table[O]['list'] extends null ? never : O }[BuiltInJob];

/** Built-in operations that a dialect of the API has. */
export type OperationIn<D extends Dialect> = {
  [O in BuiltInOperation]: D extends Table[O]['dialects'][number] ? O : never;
}[BuiltInOperation];

/** By operation; see {@link factsOf}. */
export const OPERATION_FACTS: Readonly<Record<Operation, OperationFacts>> = OPERATION_TABLE;

/** A name on record that this process does not know: an operation of a user's own that nobody has given it. */
export class UnknownName extends Error {
  constructor(what: string, name: string) {
    super(
      `Rows need the ${what} "${name}", which does not come with voxbatch: it has to be in "operations" of the configuration. ` +
        'Nothing was sent for them.',
    );
    this.name = 'UnknownName';
  }
}

/** What is known about an operation. Throws {@link UnknownName}. */
export function factsOf(operation: Operation): OperationFacts {
  const facts = OPERATION_FACTS[operation];
  if (facts === undefined) throw new UnknownName('operation', operation);
  return facts;
}

/**
 * One paid operation of a row, as the user sees it (`_job_ids`, receipts, `explain`), in the order in which a row runs
 * them.
 */
const STEP_NAMES = ['speech', 'verification', 'transcription', 'lip-sync', 'video-dubbing', 'voice'] as const;
export type Step = (typeof STEP_NAMES)[number] | OwnName;
export const STEPS: Step[] = [...STEP_NAMES];

export interface StepDefinition {
  readonly step: Step;
  readonly operation: Operation;
  /** The operation used instead for immediate speech (`--tts sync`). */
  readonly atOnce?: Operation;
  /** What it needs of an earlier step: the link to its result, in place of a column. That step must be a job. */
  readonly link?: { readonly column: MediaColumn; readonly of: Step };
  /**
   * It only checks the result of that earlier step. Rows without `verify` do not have it; no row's result is its own.
   */
  readonly checks?: Step;
}

/** Transcribes the speech, to compare it with the text. */
const VERIFICATION = {
  step: 'verification',
  operation: 'transcription',
  link: { column: 'audio', of: 'speech' },
  checks: 'speech',
} as const;

export interface KindFacts {
  /** Paid steps, in order; each waits for the one before it. A row may lack those that only check. */
  readonly steps: readonly [StepDefinition, ...StepDefinition[]];
  /** Only a `kind` column or `--kind` selects this kind, because another kind has the same columns. */
  readonly onlyByName?: true;
}

const KIND_TABLE = {
  tts: { steps: [{ step: 'speech', operation: 'speech-job', atOnce: 'speech-sync' }, VERIFICATION] },
  stt: { steps: [{ step: 'transcription', operation: 'transcription' }] },
  'lip-sync': { steps: [{ step: 'lip-sync', operation: 'lip-sync-job' }] },
  dub: {
    steps: [
      // Always a job: the lip-sync request needs its link.
      { step: 'speech', operation: 'speech-job' },
      VERIFICATION,
      { step: 'lip-sync', operation: 'lip-sync-job', link: { column: 'audio', of: 'speech' } },
    ],
  },
  'video-dubbing': { steps: [{ step: 'video-dubbing', operation: 'video-dubbing-job' }], onlyByName: true },
  voice: { steps: [{ step: 'voice', operation: 'voice' }] },
} as const satisfies Record<string, KindFacts>;

/** The kind of a row. */
export type Kind = keyof typeof KIND_TABLE | OwnName;

/** By kind; see {@link kindFactsOf}. */
export const KIND_FACTS: Readonly<Record<Kind, KindFacts>> = KIND_TABLE;

/** What is known about a kind. Throws {@link UnknownName}. */
export function kindFactsOf(kind: Kind): KindFacts {
  const facts = KIND_FACTS[kind];
  if (facts === undefined) throw new UnknownName('kind of rows', kind);
  return facts;
}
