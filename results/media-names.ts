import { DEFAULT_TEMPLATE, findBadTemplate, makeName, whyBadPath } from '../inputs/output-name.ts';
import type { RowSpec } from '../contract/row-kinds.ts';

/** Valid extensions of stored files. */
const EXTENSION = /^[a-z0-9]{1,10}$/;

/** The inputs of a file name. */
export interface NameFacts {
  /** The row's id, as it appears in file names. */
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

/** Thrown for a file name that must not be written. */
export class UnfitName extends Error {
  constructor(name: string, expected: string) {
    super(`expected ${expected}, but got ${JSON.stringify(name)}`);
    this.name = 'UnfitName';
  }
}

/**
 * Returns the file name of a result below `media/`, from a template such as `{id}.{ext}`, by the same rules as in the
 * manifest check. The extension is the file's actual type, whatever the row asked for. The rules apply again here,
 * because files are written here, and the ledger may come from somebody else's folder: throws {@link UnfitName} for a
 * name that could leave the folder, or has no extension.
 */
export function mediaName(template: string, facts: NameFacts): string {
  const { id, row, spec, extension } = facts;
  checkTemplate(template);
  if (!EXTENSION.test(extension)) throw new UnfitName(extension, 'an extension');
  const cellOf = (column: string): string | undefined => {
    const at = facts.columns.indexOf(column);
    return at < 0 ? specCell(spec, column) : facts.input[at];
  };
  const made = makeName(template, { id, row, kind: spec.kind, cellOf });
  checkName(made);
  // Replace only at the end: a cell may contain the same characters.
  return made.replace(/\{ext\}$/u, () => extension);
}

/** The last template that was checked: all rows of a batch share one. */
let goodTemplate = DEFAULT_TEMPLATE;

/** Throws {@link UnfitName} for an invalid template. Unknown columns are allowed: they only leave a gap. */
function checkTemplate(template: string): void {
  if (template === goodTemplate) return;
  const bad = findBadTemplate(template, () => true);
  if (bad !== undefined) throw new UnfitName(template, bad.expected);
  goodTemplate = template;
}

/** Throws {@link UnfitName} unless the name is a plain relative path that stays below its folder. */
export function checkName(name: string): void {
  const expected = whyBadPath(name);
  if (expected !== undefined) throw new UnfitName(name, expected);
}

/** Returns a cell by our name for its column, if `--map` says that the manifest uses another. */
function specCell(spec: RowSpec, column: string): string | undefined {
  const value = new Map<string, unknown>(Object.entries(spec)).get(column);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
