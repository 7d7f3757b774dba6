import { DIALECTS, type Dialect } from './dialects.ts';
import {
  COLUMN_CELLS,
  factsOf,
  KIND_FACTS,
  kindFactsOf,
  OPERATION_FACTS,
  RESULT_FACTS,
  UnknownName,
  type Bounds,
  type BuiltInOperation,
  type ColumnValues,
  type JobOperation,
  type Kind,
  type ListedOperation,
  type LocalFile,
  type MediaColumn,
  type Operation,
  type OwnName,
  type PrivateColumn,
  type ResultKind,
  type SpecColumn,
  type Step,
  type StepDefinition,
} from './operations.ts';
import type { Price } from './price-units.ts';

/** Queries on the tables of `operations.ts`: what rows of a kind read, cost and need, and which requests they make. */

export { cellOf, COLUMN_CELLS, factsOf, kindFactsOf, STEPS } from './operations.ts';
export type {
  Bounds,
  BuiltInOperation,
  JobOperation,
  Kind,
  ListedOperation,
  LocalFile,
  MediaColumn,
  Operation,
  OperationIn,
  OwnName,
  SpecColumn,
  Step,
} from './operations.ts';

/** All operations; `own-operation-rules.ts` appends to this list and to those below. */
export const OPERATIONS = Object.keys(OPERATION_FACTS) as Operation[];
/** All kinds of rows. */
export const KINDS = Object.keys(KIND_FACTS) as Kind[];

/** All columns with private content. */
export const PRIVATE_COLUMNS = Object.entries(COLUMN_CELLS).flatMap(([column, cell]) =>
  cell === 'text' || cell === 'link' ? column : [],
) as PrivateColumn[];

/** The columns of a kind. */
export interface KindDefinition {
  /** Columns that a row must fill. */
  readonly required: readonly SpecColumn[];
  /** Columns that a row may fill. A filled known column in neither list is a warning; under `--strict` an error. */
  readonly optional: readonly SpecColumn[];
}

/** Returns the columns that rows of a kind read. */
export const columnsOfKind = memoizePerKind((kind): KindDefinition => {
  const steps = makersOf(kind);
  const facts = steps.map(({ operation }) => factsOf(operation));
  const linked = steps.flatMap(({ link }) => link?.column ?? []);
  const isBilledByLength = facts.some(({ lengthOf }) => lengthOf.length > 0);
  const result = facts.at(-1)?.result;
  return {
    required: distinct(facts.flatMap(({ needs }) => needs)).filter((column) => !linked.some((one) => one === column)),
    optional: [
      ...distinct(facts.flatMap(({ takes }) => takes)),
      ...(isBilledByLength ? (['duration'] as const) : []),
      ...(isVerifiable(kind) ? (['verify'] as const) : []),
      ...(result !== undefined && RESULT_FACTS[result].isPlayed ? (['max_seconds'] as const) : []),
    ],
  };
});

/** Returns the columns of a kind that hold local files, which its requests upload. */
export const fileColumnsOf = memoizePerKind((kind): readonly SpecColumn[] => {
  const { required, optional } = columnsOfKind(kind);
  return [...required, ...optional].filter((column) => COLUMN_CELLS[column] === 'files');
});

/** Returns the local files in a cell; undefined if it is empty, or holds something else. */
export function filesIn(spec: RowSpec, column: SpecColumn): readonly LocalFile[] | undefined {
  const cell = spec[column];
  return typeof cell === 'object' ? cell : undefined;
}

/** The part of a row's spec that decides which steps the row has. */
export interface StepChoice {
  readonly kind: Kind;
  /** Threshold of the verification; undefined without verification. */
  readonly verify?: number | undefined;
}

/** Returns the paid steps of a row, in order; each waits for the one before it. */
export function stepsIn({ kind, verify }: StepChoice): readonly Step[] {
  return (verify === undefined ? makingStepsOf : allStepsOf)(kind);
}

/** Returns the step whose result is the row's result: the last one that is not a check. */
export function resultStepOf({ kind }: Pick<StepChoice, 'kind'>): Step {
  const { steps } = kindFactsOf(kind);
  return (steps.findLast(({ checks }) => checks === undefined) ?? steps[0]).step;
}

/** Returns the step that this step checks; undefined if the step is no check, or if the kind has no such step. */
export function checkedStepOf(kind: Kind, step: Step): Step | undefined {
  return kindFactsOf(kind).steps.find((one) => one.step === step)?.checks;
}

/** Whether the results of such rows can be verified. */
function isVerifiable(kind: Kind): boolean {
  return kindFactsOf(kind).steps.some(({ checks }) => checks !== undefined);
}

const makingStepsOf = memoizePerKind((kind) => makersOf(kind).map(({ step }) => step));
const allStepsOf = memoizePerKind((kind) => kindFactsOf(kind).steps.map(({ step }) => step));

function makersOf(kind: Kind): readonly StepDefinition[] {
  return kindFactsOf(kind).steps.filter(({ checks }) => checks === undefined);
}

/** A price for each built-in operation, and for those of the user's own that are known. */
export type PriceTable = Readonly<Record<BuiltInOperation, Price>> & { readonly [own: OwnName]: Price | undefined };

/** The default prices, from `operations.ts`. */
export const BUILT_IN_PRICES: PriceTable = ofEach(OPERATIONS, (operation) => ({
  ...factsOf(operation).price,
  estimate: true,
}));

/** Returns the price of an operation. Throws {@link UnknownName} if the table has none. */
export function priceIn(prices: PriceTable, operation: Operation): Price {
  const price = prices[operation];
  if (price === undefined) throw new UnknownName('price of', operation);
  return price;
}

/** How `tts` rows are spoken: by an asynchronous job (default) or the synchronous endpoint. */
export type TtsMode = 'job' | 'sync';

/** Returns the dialect of all requests for a row; `v1` for rows that record none. */
export function dialectOf({ dialect = 'v1' }: Pick<RowSpec, 'dialect'>): Dialect {
  return dialect;
}

/** The part of a row's spec that decides which operation carries out a step. */
export type OperationChoice = Pick<RowSpec, 'kind' | 'dialect'>;

/**
 * Returns the operation that carries out a step of a row: the synchronous one if `tts` is `sync` or the dialect has no
 * jobs for it.
 */
export function operationOf(row: OperationChoice, step: Step, tts: TtsMode): Operation {
  const { operation, syncOperation = operation } = stepOf(row.kind, step);
  const isThere = factsOf(operation).dialects.includes(dialectOf(row));
  return tts === 'sync' || !isThere ? syncOperation : operation;
}

/** Returns the dialects that have all operations that such a row needs. */
export function dialectsOf(row: StepChoice): readonly Dialect[] {
  const steps = stepsIn(row).map((step) => stepOf(row.kind, step));
  return DIALECTS.filter((dialect) =>
    steps.every(({ operation, syncOperation = operation }) =>
      [operation, syncOperation].some((one) => factsOf(one).dialects.includes(dialect)),
    ),
  );
}

/** Returns the column of a step that is filled with the link to an earlier step's result; undefined if none is. */
export function linkOf(kind: Kind, step: Step): StepDefinition['link'] {
  return stepOf(kind, step).link;
}

/** Returns the columns that a step's request contains. `api.*` fields are not listed: every request contains them. */
export function columnsReadBy(kind: Kind, step: Step): readonly SpecColumn[] {
  const { needs, takes } = factsOf(stepOf(kind, step).operation);
  return [...needs, ...takes];
}

/** Returns the columns that shape a step's result: those of its request, and for a check also what it compares with. */
export function columnsThatShape(kind: Kind, step: Step): readonly SpecColumn[] {
  const read = columnsReadBy(kind, step);
  return checkedStepOf(kind, step) === undefined ? read : [...read, 'text', 'verify'];
}

/**
 * Returns the media columns that are billed by length, except those filled by an earlier step: they do not exist yet.
 */
export function billedMedia(kind: Kind): readonly MediaColumn[] {
  const columns = distinct(makersOf(kind).flatMap(({ operation }) => factsOf(operation).lengthOf));
  return columns.filter((column) => columnsOfKind(kind).required.includes(column));
}

/** Returns the kind of result that a row has. */
export function resultOf(kind: Kind): ResultKind {
  return factsOf(stepOf(kind, resultStepOf({ kind })).operation).result;
}

/** Returns the range that the API accepts in a column of such a row; undefined if no limit is known. */
export function boundsOf(kind: Kind, column: SpecColumn): Bounds | undefined {
  const bounds = kindFactsOf(kind).steps.flatMap(({ operation }) => factsOf(operation).limits[column] ?? []);
  if (bounds.length === 0) return undefined;
  return {
    least: Math.max(...bounds.map(({ least }) => least)),
    most: Math.min(...bounds.map(({ most }) => most)),
  };
}

/** Returns the only values that the API accepts in a column of such a row; undefined if any may be valid. */
export function wordsOf(kind: Kind, column: SpecColumn): readonly string[] | undefined {
  const words = kindFactsOf(kind).steps.flatMap(({ operation }) => factsOf(operation).words?.[column] ?? []);
  return words.length === 0 ? undefined : words;
}

/** Whether the result of such a row is a file. True for an unknown kind, which another version recorded. */
export function makesFile(kind: string): boolean {
  const known = KINDS.find((one) => one === kind);
  return known === undefined || RESULT_FACTS[resultOf(known)].family !== null;
}

/** Returns the steps that an operation carries out, in rows of any kind. */
export function stepsOf(operation: Operation): readonly Step[] {
  const all = Object.values(KIND_FACTS).flatMap(({ steps }) => steps);
  return distinct(
    all.flatMap((one) => (one.operation === operation || one.syncOperation === operation ? one.step : [])),
  );
}

/** Whether the answer of an operation names a job to wait for. */
export function makesJob(operation: Operation): operation is JobOperation {
  return factsOf(operation).style === 'job';
}

/** Whether the API lists the jobs of an operation. */
export function isListed(operation: Operation): operation is ListedOperation {
  return makesJob(operation) && isTraceable(operation);
}

/** Whether lost requests of an operation can be looked up, because the API lists what the operation makes. */
export function isTraceable(operation: Operation): boolean {
  return factsOf(operation).list !== null;
}

/**
 * Memoizes a function of a kind. Values are computed on first use, not when modules load, because the user's own kinds
 * are added later.
 */
export function memoizePerKind<T>(of: (kind: Kind) => T): (kind: Kind) => T {
  const values = new Map<Kind, T>();
  return (kind) => {
    let value = values.get(kind);
    if (value === undefined) values.set(kind, (value = of(kind)));
    return value;
  };
}

/** Returns a record with a value for each name. */
export function ofEach<Name extends string, T>(names: readonly Name[], of: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, T>;
}

function stepOf(kind: Kind, step: Step): StepDefinition {
  const found = kindFactsOf(kind).steps.find((one) => one.step === step);
  if (found === undefined) throw new Error(`Rows of kind ${kind} have no step ${step}.`);
  return found;
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** Returns a row's texts and links, which are removed from recorded messages because the API may quote them. */
export function privateTextsOf(spec: Partial<RowSpec> | undefined): readonly string[] {
  return PRIVATE_COLUMNS.flatMap((column) => spec?.[column]?.toString() ?? []);
}

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A row's parsed cells, after defaults and `--map`: everything that shapes its paid requests. Stored in the ledger. */
export interface RowSpec extends ColumnValues {
  readonly kind: Kind;
  /** The dialect of all its requests, reads included. Default `v1`. */
  readonly dialect?: Dialect;
  /** The files behind cells with local media (`contract/local-media.ts`), by column. Absent if there are none. */
  readonly local?: { readonly [C in MediaColumn]?: LocalFile };
  /** `api.<field>` columns by field name; sent to the API unchanged. */
  readonly extra: Readonly<Record<string, JsonValue>>;
}
