import type { Dialect } from './dialects.ts';
import type { OwnOperation } from './own-operations/own-operation.ts';
import type { Tariff } from './price-units.ts';

/**
 * Tables of the API's paid operations, and of the kinds of rows that consist of them. They hold everything that
 * voxbatch knows about an operation; no other code tests for one by name. A new operation needs an entry here, one in
 * `request-fields.ts` and one in `api/operations/clients.ts`. `own-operations/` adds the user's own operations at
 * run time, before the first row is read. `row-kinds.ts` has the functions that query these tables.
 */

/** A name that only the configuration knows: of a user's own operation, its kind, its step, or one of its columns. */
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
  /** Local files, as they were when the row was validated. */
  files: readonly LocalFile[];
  /** The share of words that may be wrong, above 0; see `contract/verify.ts`. */
  threshold: number;
}

/** A local file that a request uploads. Two files with different content are different, whatever their paths. */
export interface LocalFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  /** sha256 of the content, hex. */
  readonly sha256: string;
  /** Type of the content as a file extension: `wav`. */
  readonly extension: string;
  /** Length of the recording, in seconds. */
  readonly seconds: number;
}

/**
 * The manifest columns that kinds read, and what their cells hold. Every kind also reads `id`, `kind` and `api.*`, and
 * ignores `_*`. A new column needs an entry here and in `takes` of each operation that reads it; the compiler then
 * demands its request field in `request-fields.ts`.
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
  /** The longest result that fits; see `contract/max-seconds.ts`. No request contains it. */
  max_seconds: 'seconds',
  /** The name of a new voice. */
  name: 'name',
  /** Recordings of the person whose voice it is. */
  samples: 'files',
  /** The words spoken in the samples. */
  transcript: 'text',
  description: 'text',
  /** Who may use a new voice. */
  visibility: 'name',
  /** If set, the speech is transcribed and compared with the text, with this threshold. No request contains it. */
  verify: 'threshold',
} as const satisfies Readonly<Record<string, keyof CellValues>>;

type Cells = typeof CELL_TABLE;
type BuiltInColumn = keyof Cells;
type ColumnsThatHold<V> = { [C in BuiltInColumn]: Cells[C] extends V ? C : never }[BuiltInColumn];
/** A manifest column that a kind reads. */
export type SpecColumn = BuiltInColumn | OwnName;
/** A column that holds a link to a recording or a video. */
export type MediaColumn = ColumnsThatHold<'link'>;
/** A column with private content, which is removed from messages even if the API quotes it. */
export type PrivateColumn = ColumnsThatHold<'text' | 'link'> | OwnName;
/** The parsed cells of a row, by column; empty cells are absent. */
export type ColumnValues = { readonly [C in BuiltInColumn]?: CellValues[Cells[C]] } & {
  readonly [own: OwnName]: string | number | undefined;
};

/** The cell kinds of built-in columns. */
export const BUILT_IN_CELLS: Readonly<Record<BuiltInColumn, CellKind>> = CELL_TABLE;
/** The cell kinds of all columns, those of added operations included; read it by {@link cellOf}. */
export const COLUMN_CELLS: Readonly<Record<SpecColumn, CellKind>> = { ...CELL_TABLE };

/**
 * Returns what the cells of a column hold. Throws {@link UnknownName} for a column of an operation that is not added.
 */
export function cellOf(column: SpecColumn): CellKind {
  const cell = COLUMN_CELLS[column];
  if (cell === undefined) throw new UnknownName('column', column);
  return cell;
}

/** A range of numbers that the API accepts, both ends inclusive. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Properties of a kind of result. */
interface ResultFacts {
  /** Type of its file; null if the result is an id of something that stays with the API, such as a voice. */
  readonly family: 'audio' | 'video' | 'text' | null;
  /** Whether its file plays, and so has a length. */
  readonly isPlayed: boolean;
}

/** The kinds of results of paid operations. */
export const RESULT_FACTS = {
  audio: { family: 'audio', isPlayed: true },
  video: { family: 'video', isPlayed: true },
  transcript: { family: 'text', isPlayed: false },
  voice: { family: null, isPlayed: false },
} as const satisfies Readonly<Record<string, ResultFacts>>;
/** What an operation makes, which decides how its result is stored and shown. */
export type ResultKind = keyof typeof RESULT_FACTS;

/** Everything that other code needs to know about an operation. */
export interface OperationFacts {
  /** The dialects of the API that offer it. */
  readonly dialects: readonly Dialect[];
  /** `job`: the answer names a job to wait for. `direct`: the answer contains the result. */
  readonly style: 'job' | 'direct';
  readonly result: ResultKind;
  /**
   * How a lost request can be found in the API's list of what the account made by this operation: a job by the inputs
   * that the list repeats (`policy/reconcile/match-lost-job.ts`), a voice by its name
   * (`policy/voices/match-lost-voice.ts`). Null if the API has no such list.
   */
  readonly list: { readonly recognisedBy: readonly ['video', 'audio'] | readonly ['name'] } | null;
  /** Columns that a row must fill. */
  readonly needs: readonly SpecColumn[];
  /** Columns that a row may fill. */
  readonly takes: readonly SpecColumn[];
  /** Media columns that are billed by length; the longest counts. The row may state that length in `duration`. */
  readonly lengthOf: readonly MediaColumn[];
  /** The column with the number that a price by `number` multiplies. Default: none, so such a price is unknown. */
  readonly numberOf?: SpecColumn;
  /** The default price, an estimate from public material. */
  readonly price: Tariff;
  /** Ranges that the API accepts, by column. */
  readonly limits: { readonly [C in SpecColumn]?: Bounds };
  /** The only values that the API accepts, by column. Default: any. */
  readonly words?: { readonly [C in SpecColumn]?: readonly string[] };
  /** The user's definition, for an operation of the user's own. */
  readonly own?: OwnOperation;
}

/** Facts that synchronous and asynchronous speech share. */
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
/** The columns that a built-in operation reads. */
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

/** All operations, added ones included; read it by {@link factsOf}. */
export const OPERATION_FACTS: Readonly<Record<Operation, OperationFacts>> = OPERATION_TABLE;

/** Thrown for a recorded operation of a user's own that is missing from the configuration of this process. */
export class UnknownName extends Error {
  constructor(what: string, name: string) {
    super(
      `Rows need the ${what} "${name}", which does not come with voxbatch: it has to be in "operations" of the configuration. ` +
        'Nothing was sent for them.',
    );
    this.name = 'UnknownName';
  }
}

/** Returns the facts about an operation. Throws {@link UnknownName}. */
export function factsOf(operation: Operation): OperationFacts {
  const facts = OPERATION_FACTS[operation];
  if (facts === undefined) throw new UnknownName('operation', operation);
  return facts;
}

/**
 * Names of a row's paid steps as users see them (`_job_ids`, receipts, `explain`), in the order in which a row runs.
 */
const STEP_NAMES = ['speech', 'verification', 'transcription', 'lip-sync', 'video-dubbing', 'voice'] as const;
/** A paid step of a row; the name of an own operation is one, too. */
export type Step = (typeof STEP_NAMES)[number] | OwnName;
/** All steps, in that order. Own operations are appended by `own-operation-rules.ts`. */
export const STEPS: Step[] = [...STEP_NAMES];

/** A step of a kind of rows. */
export interface StepDefinition {
  readonly step: Step;
  readonly operation: Operation;
  /** The operation used instead for immediate speech (`--tts sync`). */
  readonly syncOperation?: Operation;
  /** The input column that is filled with the link to the result of an earlier step, which must be a job. */
  readonly link?: { readonly column: MediaColumn; readonly of: Step };
  /** The earlier step whose result this step only checks. Only rows with `verify` have such a step. */
  readonly checks?: Step;
}

/** Transcribes the speech, to compare it with the text. */
const VERIFICATION = {
  step: 'verification',
  operation: 'transcription',
  link: { column: 'audio', of: 'speech' },
  checks: 'speech',
} as const;

/** Everything that other code needs to know about a kind of rows. */
export interface KindFacts {
  /** Paid steps, in order; each waits for the one before it. Rows without `verify` lack those with `checks`. */
  readonly steps: readonly [StepDefinition, ...StepDefinition[]];
  /** Only a `kind` column or `--kind` selects this kind, because another kind has the same columns. */
  readonly onlyByName?: true;
}

const KIND_TABLE = {
  tts: { steps: [{ step: 'speech', operation: 'speech-job', syncOperation: 'speech-sync' }, VERIFICATION] },
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

/** All kinds, added ones included; read it by {@link kindFactsOf}. */
export const KIND_FACTS: Readonly<Record<Kind, KindFacts>> = KIND_TABLE;

/** Returns the facts about a kind. Throws {@link UnknownName}. */
export function kindFactsOf(kind: Kind): KindFacts {
  const facts = KIND_FACTS[kind];
  if (facts === undefined) throw new UnknownName('kind of rows', kind);
  return facts;
}
