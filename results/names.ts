import { makeName, whyBadPath } from '../inputs/output-name.ts';
import type { RowSpec } from '../contract/row-kinds.ts';

/** Folder of the results, below the out folder. */
export const MEDIA_FOLDER = 'media';

/** What a file name is made from. */
export interface NameFacts {
  /** As it appears in file names. */
  readonly id: string;
  /** 1-based. */
  readonly row: number;
  readonly spec: RowSpec;
  /** Input columns of the batch, and this row's cells in the same order. */
  readonly columns: readonly string[];
  readonly input: readonly string[];
  /** The file's actual type, without a dot. */
  readonly extension: string;
}

/** A file name that we may not write. */
export class UnfitName extends Error {
  constructor(name: string, expected: string) {
    super(`expected ${expected}, but got ${JSON.stringify(name)}`);
    this.name = 'UnfitName';
  }
}

/**
 * File name of a result below `media/`, from a template such as `{id}.{ext}`, by the same rules as in the manifest
 * check. The extension is the file's actual type, whatever the row asked for. The rules apply again here, because files
 * are written here: throws {@link UnfitName} for a name that could leave the folder.
 */
export function mediaName(template: string, facts: NameFacts): string {
  const { id, row, spec, extension } = facts;
  const cellOf = (column: string): string | undefined => {
    const at = facts.columns.indexOf(column);
    return at < 0 ? specCell(spec, column) : facts.input[at];
  };
  const made = makeName(template, { id, row, kind: spec.kind, cellOf });
  // Replace only at the end: a cell may contain the same characters.
  const name = made.replace(/\{ext\}$/u, () => extension);
  checkName(name);
  return name;
}

/** Throws {@link UnfitName} unless the name is a plain relative path that stays below its folder. */
export function checkName(name: string): void {
  const expected = whyBadPath(name);
  if (expected !== undefined) throw new UnfitName(name, expected);
}

/** A column under our name for it, if `--map` says that the file uses another. */
function specCell(spec: RowSpec, column: string): string | undefined {
  const value = new Map<string, unknown>(Object.entries(spec)).get(column);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
