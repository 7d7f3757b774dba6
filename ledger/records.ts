import type { Failure } from '../contract/failures.ts';
import type { RowLine } from './schema.ts';

/** What records of several kinds have. JSON is parsed without a check: only this room ever writes these columns. */

/** A stored result of a step. */
export interface ResultFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly extension: string;
  /** Duration in seconds; omitted for text, raw audio, and files of earlier versions. */
  readonly seconds?: number;
  /** Why it did not pass a check, in a few words; it stays on record if a person accepted the file. */
  readonly unfit?: string;
  /** Why a person should listen to it although it passed, in a few words. */
  readonly oddity?: string;
  /** When it was removed from the store on purpose, ms; such a file is not missing. */
  readonly removedAt?: number;
}

export function toFile(json: string | null): ResultFile | null {
  return json === null ? null : (JSON.parse(json) as ResultFile);
}

/** JSON for a column that may be empty. */
export function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The columns of a row's failure. */
export function failureColumns(
  failure: Failure | null | undefined,
): Pick<RowLine, 'failure' | 'failure_class' | 'failure_cause'> {
  return {
    failure: failure == null ? null : JSON.stringify(failure),
    failure_class: failure?.class ?? null,
    failure_cause: failure?.cause ?? null,
  };
}

export function toFailure(json: string | null): Failure | null {
  return json === null ? null : (JSON.parse(json) as Failure);
}
