import { hash } from 'node:crypto';
import type { NamedResultFile } from '../contract/named-result-file.ts';
import { UnsafeName } from './errors.ts';

/**
 * Where the store keeps a batch's files. Fixed and recorded when the batch is created, so that an unrecorded result can
 * be found again.
 */
export interface BatchLayout {
  /** The batch's own folder in the store, unique even where the file system treats `Lines` and `lines` as one name. */
  readonly stem: string;
  /** Rows per folder; null for a single folder. */
  readonly rowsAFolder: number | null;
}

/** The step of a row that a stored result belongs to. */
interface ResultPlace {
  readonly row: number;
  readonly step: string;
  readonly take: number;
}

/**
 * Returns the stem (the key without extension) of the result that a take's request brought. A result that was stored
 * but not recorded is found again by it.
 */
export function stemOf(layout: BatchLayout, key: ResultPlace): string {
  return [layout.stem, ...foldersOf(layout, key.row), `${key.row}-${key.step}-${key.take}`].join('/');
}

/**
 * Returns the stem of the result of one job of a take. A person may assign another job to the take while the first
 * result is being fetched (`reconcile --adopt`), and neither may replace the file of the other.
 */
export function jobStemOf(layout: BatchLayout, key: ResultPlace, jobId: string): string {
  return `${stemOf(layout, key)}-job-${hash('sha256', jobId, 'hex').slice(0, 12)}`;
}

/**
 * Returns the stem of a take's copy of an earlier result. It depends on the content, and differs from the stems of the
 * take's own results. So a process that was suspended, and names its copy late, cannot replace a file that another
 * process has recorded.
 */
export function copyStemOf(layout: BatchLayout, key: ResultPlace, sha256: string): string {
  return `${stemOf(layout, key)}-cached-${sha256.slice(0, 12)}`;
}

/**
 * Returns the stem of the file that the parts of a row were joined into. `sha256` is the digest of the parts' digests,
 * so different contents never share a name.
 */
export function joinedStemOf(layout: BatchLayout, row: number, sha256: string): string {
  return [layout.stem, ...foldersOf(layout, row), `${row}-joined-${sha256.slice(0, 16)}`].join('/');
}

/** Returns the folders between a batch's folder and a row's files: `0000`, `0001`, …, or none. Rows count from 1. */
export function foldersOf({ rowsAFolder }: Pick<BatchLayout, 'rowsAFolder'>, row: number): readonly string[] {
  return rowsAFolder === null ? [] : [String(Math.floor((row - 1) / rowsAFolder)).padStart(4, '0')];
}

/**
 * Parses the key of a result that a request brought ({@link stemOf}, {@link jobStemOf}); undefined for copies, joined
 * files and other names. The caller must check that the row has such a step.
 */
export function placeOfKey(key: string): NamedResultFile | undefined {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const [, row, step, take] = /^(\d+)-(.+?)-(\d+)(?:-job-[0-9a-f]{12})?\.[a-z0-9]+$/.exec(name) ?? [];
  return step === undefined ? undefined : { key, row: Number(row), step, take: Number(take) };
}

/** Returns the row that a stored file belongs to, by its key; undefined for a file with another name. */
export function rowOfKey(key: string): number | undefined {
  const number = /^(\d+)-/.exec(key.slice(key.lastIndexOf('/') + 1))?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Whether a stem or key stays in the store, and a file can have it. */
export function isSafe(name: string): boolean {
  return (
    !/[\0\\]/.test(name) && name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}

/** Throws {@link UnsafeName} for a stem or key that is not {@link isSafe}. */
export function requireSafe(name: string): void {
  if (!isSafe(name)) throw new UnsafeName(name);
}

/**
 * Throws {@link UnsafeName} for a stem that {@link requireSafe} refuses, or for an extension that a stored file cannot
 * have.
 */
export function requireSafeStem(stem: string, extension?: string): void {
  requireSafe(stem);
  if (extension === undefined) return;
  if (!/^[a-z0-9]+$/.test(extension) || extension === 'part') throw new UnsafeName(`.${extension}`);
}
