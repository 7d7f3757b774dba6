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

/** The kinds of rows, and the paid operations that each is made of, derived from the tables of `operations.ts`. */

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

// TypeScript types an object's keys as strings, because it could have more than its type says; these have not.
export const OPERATIONS = Object.keys(OPERATION_FACTS) as Operation[];
export const KINDS = Object.keys(KIND_FACTS) as Kind[];

export const PRIVATE_COLUMNS = Object.entries(COLUMN_CELLS).flatMap(([column, cell]) =>
  cell === 'text' || cell === 'link' ? column : [],
) as PrivateColumn[];

export interface KindDefinition {
  /** Columns that a row must fill. */
  readonly required: readonly SpecColumn[];
  /**
   * Columns the kind also understands. A filled known column in neither list is a warning; under `--strict` an error.
   */
  readonly optional: readonly SpecColumn[];
}

/** The columns that rows of a kind read. */
export const columnsOfKind = memoizePerKind((kind): KindDefinition => {
  const steps = makersOf(kind);
  const facts = steps.map(({ operation }) => factsOf(operation));
  const linked = steps.flatMap(({ link }) => link?.column ?? []);
  const isBilledByLength = facts.some(({ lengthOf }) => lengthOf.length > 0);
  const made = facts.at(-1)?.result;
  return {
    required: distinct(facts.flatMap(({ needs }) => needs)).filter((column) => !linked.some((one) => one === column)),
    optional: [
      ...distinct(facts.flatMap(({ takes }) => takes)),
      ...(isBilledByLength ? (['duration'] as const) : []),
      ...(isVerifiable(kind) ? (['verify'] as const) : []),
      ...(made !== undefined && RESULT_FACTS[made].isPlayed ? (['max_seconds'] as const) : []),
    ],
  };
});

/** What decides which steps a row has. */
export interface StepChoice {
  readonly kind: Kind;
  readonly verify?: number | undefined;
}

/** The paid steps of a row, in order; each waits for the one before it. */
export function stepsIn({ kind, verify }: StepChoice): readonly Step[] {
  return (verify === undefined ? makingStepsOf : allStepsOf)(kind);
}

/** The step whose result is the row's: the last one that does not only check another. */
export function resultStepOf({ kind }: Pick<StepChoice, 'kind'>): Step {
  const { steps } = kindFactsOf(kind);
  return (steps.findLast(({ checks }) => checks === undefined) ?? steps[0]).step;
}

/** The earlier step whose result this one only checks; undefined: it makes a result itself, or such rows have none. */
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

export type PriceTable = Readonly<Record<BuiltInOperation, Price>> & { readonly [own: OwnName]: Price | undefined };

/** The prices of `operations.ts`, all estimates. */
export const BUILT_IN_PRICES: PriceTable = ofEach(OPERATIONS, (operation) => ({
  ...factsOf(operation).price,
  estimate: true,
}));

/** The price of an operation. Throws {@link UnknownName}. */
export function priceIn(prices: PriceTable, operation: Operation): Price {
  const price = prices[operation];
  if (price === undefined) throw new UnknownName('price of', operation);
  return price;
}

/** How `tts` rows are spoken: by an asynchronous job (default) or the synchronous endpoint. */
export type TtsMode = 'job' | 'sync';

/** The dialect of all requests for a row. Rows of earlier versions, and all that speak the first, do not name it. */
export function dialectOf({ dialect = 'v1' }: Pick<RowSpec, 'dialect'>): Dialect {
  return dialect;
}

/** What decides by which operations the steps of a row are carried out. */
export type OperationChoice = Pick<RowSpec, 'kind' | 'dialect'>;

/**
 * The operation that carries out a step of a row. A dialect without speech jobs speaks at once, whatever `tts` says.
 */
export function operationOf(row: OperationChoice, step: Step, tts: TtsMode): Operation {
  const { operation, atOnce = operation } = stepOf(row.kind, step);
  const isThere = factsOf(operation).dialects.includes(dialectOf(row));
  return tts === 'sync' || !isThere ? atOnce : operation;
}

/** The dialects that have what such a row needs. */
export function dialectsOf(row: StepChoice): readonly Dialect[] {
  const steps = stepsIn(row).map((step) => stepOf(row.kind, step));
  return DIALECTS.filter((dialect) =>
    steps.every(({ operation, atOnce = operation }) =>
      [operation, atOnce].some((one) => factsOf(one).dialects.includes(dialect)),
    ),
  );
}

/** What a step needs of an earlier step: the link to its result, in place of a column. */
export function linkOf(kind: Kind, step: Step): StepDefinition['link'] {
  return stepOf(kind, step).link;
}

/** The columns that shape the request for a step. `api.*` fields are not listed: they go into every request. */
export function columnsReadBy(kind: Kind, step: Step): readonly SpecColumn[] {
  const { needs, takes } = factsOf(stepOf(kind, step).operation);
  return [...needs, ...takes];
}

/** The columns that shape a step: its request, and what its result is compared with. */
export function columnsThatShape(kind: Kind, step: Step): readonly SpecColumn[] {
  const read = columnsReadBy(kind, step);
  return checkedStepOf(kind, step) === undefined ? read : [...read, 'text', 'verify'];
}

/** The media of a row whose length is billed, without what one step makes for a later one: that does not exist yet. */
export function billedMedia(kind: Kind): readonly MediaColumn[] {
  const columns = distinct(makersOf(kind).flatMap(({ operation }) => factsOf(operation).lengthOf));
  return columns.filter((column) => columnsOfKind(kind).required.includes(column));
}

/** The result of a row. */
export function resultOf(kind: Kind): ResultKind {
  return factsOf(stepOf(kind, resultStepOf({ kind })).operation).result;
}

/** What the API accepts in a column of such a row; undefined: anything, as far as we know. */
export function boundsOf(kind: Kind, column: SpecColumn): Bounds | undefined {
  const bounds = kindFactsOf(kind).steps.flatMap(({ operation }) => factsOf(operation).limits[column] ?? []);
  if (bounds.length === 0) return undefined;
  return {
    least: Math.max(...bounds.map(({ least }) => least)),
    most: Math.min(...bounds.map(({ most }) => most)),
  };
}

/** The only words that the API knows for a column of such a row; undefined: any, as far as we know. */
export function wordsOf(kind: Kind, column: SpecColumn): readonly string[] | undefined {
  const words = kindFactsOf(kind).steps.flatMap(({ operation }) => factsOf(operation).words?.[column] ?? []);
  return words.length === 0 ? undefined : words;
}

/** Whether the result of such a row is a file. A kind of another version counts as one. */
export function makesFile(kind: string): boolean {
  const known = KINDS.find((one) => one === kind);
  return known === undefined || RESULT_FACTS[resultOf(known)].family !== null;
}

/** The steps that an operation carries out, in rows of any kind. */
export function stepsOf(operation: Operation): readonly Step[] {
  const all = Object.values(KIND_FACTS).flatMap(({ steps }) => steps);
  return distinct(all.flatMap((one) => (one.operation === operation || one.atOnce === operation ? one.step : [])));
}

/** True for an operation whose answer names a job to wait for. */
export function makesJob(operation: Operation): operation is JobOperation {
  return factsOf(operation).style === 'job';
}

/** True for an operation whose jobs the API lists. */
export function isListed(operation: Operation): operation is ListedOperation {
  return makesJob(operation) && isTraceable(operation);
}

/** True for an operation whose lost requests can be looked up: the API lists what it makes. */
export function isTraceable(operation: Operation): boolean {
  return factsOf(operation).list !== null;
}

/** A function of a kind that works its value out once. A kind of a user's own comes when modules are loaded already. */
export function memoizePerKind<T>(of: (kind: Kind) => T): (kind: Kind) => T {
  const values = new Map<Kind, T>();
  return (kind) => {
    let value = values.get(kind);
    if (value === undefined) values.set(kind, (value = of(kind)));
    return value;
  };
}

/** Builds a value for each of these names. */
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

/** What a row holds of the user's own: its texts and links. The API may repeat them, and no record shall. */
export function privateTextsOf(spec: Partial<RowSpec> | undefined): readonly string[] {
  return PRIVATE_COLUMNS.flatMap((column) => spec?.[column]?.toString() ?? []);
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** What a row asks for, after defaults and `--map`: everything that shapes its paid requests. */
export interface RowSpec extends ColumnValues {
  readonly kind: Kind;
  /** The dialect of all its requests, reads included. Default `v1`. */
  readonly dialect?: Dialect;
  /** The files behind cells that hold local media (`contract/local-media.ts`), by column. Absent: there are none. */
  readonly local?: { readonly [C in MediaColumn]?: LocalFile };
  /** `api.<field>` columns by field name; sent to the API unchanged. */
  readonly extra: Readonly<Record<string, JsonValue>>;
}
