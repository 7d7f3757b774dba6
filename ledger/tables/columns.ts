import type { Generated } from 'kysely';

/**
 * Tables as values, so that the columns of a database and the types of its lines have one source. `Value` is what a column holds; it is
 * there for the types alone.
 */
export interface Column<Value = unknown> {
  readonly type: 'text' | 'integer' | 'bigint' | 'double precision';
  readonly isNullable: boolean;
  /** What a new line has that does not say. Undefined: it must say. */
  readonly byDefault?: number;
  readonly isNumbered?: true;
  readonly holds?: Value;
}

/** A table: its columns, and those that identify a line. */
export interface Table<Columns extends Readonly<Record<string, Column>> = Readonly<Record<string, Column>>> {
  readonly columns: Columns;
  readonly key: readonly string[];
}

/** A line of a table. */
export type LineOf<T extends Table> = {
  [Name in keyof T['columns']]: T['columns'][Name] extends Column<infer Value> ? Value : never;
};

export function table<Columns extends Readonly<Record<string, Column>>>(
  key: readonly (keyof Columns & string)[],
  columns: Columns,
): Table<Columns> {
  return { columns, key };
}

/** Text, or one of these words. */
export function text<Words extends string = string>(): Column<Words> {
  return { type: 'text', isNullable: false };
}

/** A value as JSON, in a column of text, so that every database keeps it unchanged. No query looks into it. */
export function json(): Column<string> {
  return { type: 'text', isNullable: false };
}

export function integer<Numbers extends number = number>(): Column<Numbers> {
  return { type: 'integer', isNullable: false };
}

/** A moment, ms since 1970. */
export function time(): Column<number> {
  return { type: 'bigint', isNullable: false };
}

/** Credits, and other numbers with fractions. */
export function amount(): Column<number> {
  return { type: 'double precision', isNullable: false };
}

/** The same column, or null. */
export function orNull<Value>(column: Column<Value>): Column<Value | null> {
  return { type: column.type, isNullable: true };
}

/** The same column, with a value for new lines that do not say. */
export function or<Value extends number>(byDefault: NoInfer<Value>, column: Column<Value>): Column<Generated<Value>> {
  return { type: column.type, isNullable: false, byDefault };
}

/** A number that the database gives each new line, larger than all before it. */
export function numbered(): Column<Generated<number>> {
  return { type: 'integer', isNullable: false, isNumbered: true };
}
