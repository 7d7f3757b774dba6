import { canonicalJson } from '../canonical-json.ts';
import {
  BUILT_IN_CELLS,
  COLUMN_CELLS,
  KIND_FACTS,
  OPERATION_FACTS,
  STEPS,
  type CellKind,
  type KindFacts,
  type OperationFacts,
  type OwnName,
  type SpecColumn,
} from '../operations.ts';
import type { OwnColumn, OwnOperation, OwnPrice } from './own-operation.ts';
import { PRICE_UNIT_NAMES, PRICE_UNITS, type BilledWork, type Price } from '../price-units.ts';
import { BUILT_IN_PRICES, KINDS, OPERATIONS, PRIVATE_COLUMNS } from '../row-kinds.ts';

/**
 * Checks the user's own operations (`operations` in the config file), and registers them in the tables of
 * `operations.ts`, so that the rest of the code treats them like built-in ones. Each process and thread calls this
 * before it reads rows, and every batch record carries its operations. There is no way to remove one.
 */

/** An invalid operation, or one whose name is taken. */
export class OwnOperationError extends Error {
  readonly operation: string;

  constructor(operation: string, why: string) {
    super(`operation "${operation}": ${why}`);
    this.operation = operation;
    this.name = 'OwnOperationError';
  }
}

/** Valid names of a user's own operations. */
export const OWN_NAME = /^[a-z][a-z0-9-]{0,39}$/;
const COLUMN = /^[a-z][a-z0-9_-]{0,39}$/i;
const PATH = /^(\/[A-Za-z0-9._~-]+)+$/;
/** Columns with a fixed meaning, which a user's own operation may not read. */
const RESERVED = ['id', 'kind', 'dialect', 'extra', 'duration', 'max_seconds', 'verify', 'samples', 'pause'];
/** Columns whose length a price by second can count. */
const MEDIA = ['audio', 'video'] as const;
/** The largest number that a price can multiply: the product stays a number of credits. */
const MAX_BILLED_NUMBER = 1_000_000_000;

/** The registered operations, by name. */
const added = new Map<string, OwnOperation>();

/** Returns all operations added so far, in order. */
export function ownOperations(): readonly OwnOperation[] {
  return [...added.values()];
}

/**
 * Adds the operations of a batch's record for display, and ignores those that conflict with known ones: one batch must
 * not keep others from being read. Code that sends requests calls {@link addOperations} instead, which throws.
 */
export function tryAddOperations(operations: readonly OwnOperation[] = []): void {
  for (const operation of operations) {
    if (added.has(operation.name)) continue;
    try {
      addOperations([operation]);
    } catch (error) {
      if (!(error instanceof OwnOperationError)) throw error;
    }
  }
}

/**
 * Adds operations; ones that were added before are ignored. Throws {@link OwnOperationError}, and adds none, if any is
 * invalid or has the name of a different operation.
 */
export function addOperations(operations: readonly OwnOperation[]): void {
  const fresh = new Map<string, OwnOperation>();
  for (const operation of operations) {
    const before = added.get(operation.name) ?? fresh.get(operation.name);
    if (before === undefined) fresh.set(operation.name, operation);
    else if (canonicalJson(before) !== canonicalJson(operation))
      throw new OwnOperationError(
        operation.name,
        'another operation of this name was given; the same name means the same',
      );
  }
  // The usual case: this is called for every row.
  if (fresh.size === 0) return;
  const cells = new Map<string, CellKind>(Object.entries(COLUMN_CELLS));
  for (const operation of fresh.values()) checkOperation(operation, cells);
  for (const operation of fresh.values()) addOperation(operation);
}

/** Throws if an operation is invalid. `cells`: the kinds of all known columns; those of this operation are added. */
function checkOperation(operation: OwnOperation, cells: Map<string, CellKind>): void {
  const { name, path, columns } = operation;
  const refuse = (why: string): never => {
    throw new OwnOperationError(name, why);
  };
  if (!OWN_NAME.test(name) || name in Object.prototype)
    refuse('expected a name of at most 40 small letters, digits and dashes');
  if ([KIND_FACTS, OPERATION_FACTS].some((table) => Object.hasOwn(table, name)) || STEPS.some((step) => step === name))
    refuse('voxbatch has an operation, a kind or a step of this name');
  if (!PATH.test(path) || path.split('/').some((part) => part === '.' || part === '..'))
    refuse('expected a path such as /sound/effects/jobs');
  const needed = Object.entries(columns).filter(([, { optional }]) => optional !== true);
  if (needed.length === 0) refuse('expected at least one column that rows must fill');
  const fields = new Set<string>();
  for (const [column, { cell, field }] of Object.entries(columns)) {
    const known = cells.get(column);
    if (!COLUMN.test(column) || RESERVED.includes(column) || column in Object.prototype)
      refuse(`a column cannot be called "${column}"`);
    // A built-in column keeps its kind of cells if `cell` is omitted; a new column then holds text.
    const holds = cell ?? (column in BUILT_IN_CELLS ? known : 'text');
    if (known !== undefined && holds !== known) refuse(`cells of the column "${column}" hold a ${known} already`);
    if (field === '' || fields.has(field)) refuse(`expected a field of its own for the column "${column}"`);
    fields.add(field);
    cells.set(column, holds ?? 'text');
  }
  checkPrice(operation, cells, refuse);
}

/** Refuses a price that could not be known of each row. */
function checkPrice(
  { columns, price }: OwnOperation,
  cells: ReadonlyMap<string, CellKind>,
  refuse: (why: string) => never,
): void {
  const { unit, column: priced } = price;
  if (!Object.hasOwn(PRICE_UNITS, unit)) refuse(`expected a price by ${PRICE_UNIT_NAMES.join(', ')}`);
  const { reads } = PRICE_UNITS[unit];
  if (reads !== 'number' && priced !== undefined) refuse(`a price by ${unit} reads no column "${priced}"`);
  if (reads === null) return;
  const readable = billedColumns(price)[reads];
  if (!readable.some((column) => Object.hasOwn(columns, column) && columns[column]?.optional !== true))
    refuse(`a price by ${unit} needs a column ${readable.join(' or ') || '(price.column)'} that rows must fill`);
  if (reads === 'duration' && MEDIA.some((column) => columns[column]?.optional === true))
    refuse(`a price by ${unit} needs every column of media to be one that rows must fill`);
  if (reads === 'number' && priced !== undefined && cells.get(priced) !== 'number')
    refuse(`a price by ${unit} needs numbers in the column "${priced}"`);
}

/** The columns of which a price may read each property of the billed work. */
function billedColumns({ column }: OwnPrice): Readonly<Record<keyof BilledWork, readonly string[]>> {
  return { text: ['text'], duration: MEDIA, number: column === undefined ? [] : [column] };
}

function addOperation(operation: OwnOperation): void {
  const { columns } = operation;
  const { column: priced, ...tariff } = operation.price;
  // The only cast from a user's string to `OwnName`.
  const name = operation.name as OwnName;
  const entries = Object.entries(columns) as [SpecColumn, OwnColumn][];
  const facts: OperationFacts = {
    dialects: ['v1'],
    style: operation.answer,
    result: operation.result,
    list: null,
    needs: entries.flatMap(([column, { optional }]) => (optional === true ? [] : column)),
    takes: entries.flatMap(([column, { optional }]) => (optional === true ? column : [])),
    lengthOf: PRICE_UNITS[tariff.unit].reads === 'duration' ? MEDIA.filter((column) => column in columns) : [],
    ...(priced === undefined ? {} : { numberOf: priced as SpecColumn }),
    price: tariff,
    limits: priced === undefined ? {} : { [priced]: { least: 0, most: MAX_BILLED_NUMBER } },
    own: operation,
  };
  for (const [column, { cell = 'text' }] of entries) {
    if (Object.hasOwn(COLUMN_CELLS, column)) continue;
    Object.assign(COLUMN_CELLS, { [column]: cell });
    if (cell === 'text') PRIVATE_COLUMNS.push(column as OwnName);
  }
  Object.assign(OPERATION_FACTS, { [name]: facts });
  Object.assign(KIND_FACTS, {
    [name]: { steps: [{ step: name, operation: name }], onlyByName: true } satisfies KindFacts,
  });
  // The user states this price, so it is no estimate.
  Object.assign(BUILT_IN_PRICES, { [name]: { ...tariff, estimate: false } satisfies Price });
  STEPS.push(name);
  OPERATIONS.push(name);
  KINDS.push(name);
  added.set(operation.name, operation);
}
