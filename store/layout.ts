/**
 * Where the files of a batch are. Created with the batch and recorded, so that a result without a record can be found
 * again.
 */
export interface BatchLayout {
  /** The batch's own folder in the store, unique even where the file system treats `Lines` and `lines` as one name. */
  readonly stem: string;
  /** Rows per folder; null: one folder for the batch. */
  readonly rowsAFolder: number | null;
}

/** Stem of the stored result of a take. */
export function stemOf(layout: BatchLayout, key: { row: number; step: string; take: number }): string {
  return [layout.stem, ...foldersOf(layout, key.row), `${key.row}-${key.step}-${key.take}`].join('/');
}

/**
 * Stem of a copy that a take has of an earlier result. A result of its own never has it, and no two contents have the
 * same: a process that stood still, and then names its copy, changes none that another has on record.
 */
export function copyStemOf(
  layout: BatchLayout,
  key: { row: number; step: string; take: number },
  sha256: string,
): string {
  return `${stemOf(layout, key)}-cached-${sha256.slice(0, 12)}`;
}

/** Stem of the file that the parts of a row were joined into. `sha256`: digest of those of its parts, so that no two contents have one name. */
export function joinedStemOf(layout: BatchLayout, row: number, sha256: string): string {
  return [layout.stem, ...foldersOf(layout, row), `${row}-joined-${sha256.slice(0, 16)}`].join('/');
}

/** Folders between the media folder and the files of this row: `0000`, `0001`, …, or none. Rows count from 1. */
export function foldersOf({ rowsAFolder }: Pick<BatchLayout, 'rowsAFolder'>, row: number): readonly string[] {
  return rowsAFolder === null ? [] : [String(Math.floor((row - 1) / rowsAFolder)).padStart(4, '0')];
}

/** The row that a stored file belongs to, by its key; undefined for a file with another name. */
export function rowOfKey(key: string): number | undefined {
  const number = /^(\d+)-/.exec(key.slice(key.lastIndexOf('/') + 1))?.[1];
  return number === undefined ? undefined : Number(number);
}
