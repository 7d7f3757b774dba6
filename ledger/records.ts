import type { Failure } from '../contract/failures.ts';
import type { RowLine } from './schema.ts';

/*
 * Conversions of columns that occur in several tables. JSON is parsed without validation: only `ledger/` writes it.
 */

/** A stored result of a step. */
export interface ResultFile {
  /** Name in the store. */
  readonly key: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Without the dot. */
  readonly extension: string;
  /** Duration in seconds; omitted for text, raw audio, and files of earlier versions. */
  readonly seconds?: number;
  /** Why it did not pass a check, in a few words; it stays on record if a person accepted the file. */
  readonly unfit?: string;
  /** Why a person should listen to it although it passed all checks, in a few words. */
  readonly oddity?: string;
  /** When `clean` or `prune` removed it from the store, ms since 1970; such a file does not count as lost. */
  readonly removedAt?: number;
}

/** Parses a column that holds a {@link ResultFile} as JSON. */
export function toFile(json: string | null): ResultFile | null {
  return json === null ? null : (JSON.parse(json) as ResultFile);
}

/** JSON for a nullable column; null for undefined. */
export function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The columns that record a row's failure; all null if it has none. */
export function failureColumns(
  failure: Failure | null | undefined,
): Pick<RowLine, 'failure' | 'failure_class' | 'failure_cause'> {
  return {
    failure: failure == null ? null : JSON.stringify(failure),
    failure_class: failure?.class ?? null,
    failure_cause: failure?.cause ?? null,
  };
}

/** Parses a column that holds a `Failure` as JSON. */
export function toFailure(json: string | null): Failure | null {
  return json === null ? null : (JSON.parse(json) as Failure);
}
