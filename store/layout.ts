/** Where the files of a batch lie. Made with the batch and kept, so that a lost record can be found again. */
export interface BatchLayout {
  /** Folder of the batch in the store: of this batch only, also where the file system takes `Lines` and `lines` for one name. */
  readonly stem: string;
  /** Rows whose files share a folder; null: all of the batch. */
  readonly rowsAFolder: number | null;
}

/** Stem of the stored result of a take. */
export function stemOf(layout: BatchLayout, key: { row: number; step: string; take: number }): string {
  return [layout.stem, ...foldersOf(layout, key.row), `${key.row}-${key.step}-${key.take}`].join('/');
}

/** Folders between that of all files and those of this row: `0000`, `0001`, …, or none. A row's number counts from 1. */
export function foldersOf({ rowsAFolder }: Pick<BatchLayout, 'rowsAFolder'>, row: number): readonly string[] {
  return rowsAFolder === null ? [] : [String(Math.floor((row - 1) / rowsAFolder)).padStart(4, '0')];
}
