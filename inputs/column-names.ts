import { CAST_COLUMN } from '../contract/cast.ts';
import { foldHeader, isApi, knownColumns } from './header-names.ts';

/** The options that decide what the columns of a file mean; `manifest-options.ts` explains them. */
export interface ColumnOptions {
  readonly map: Readonly<Record<string, string>>;
  readonly mapIfThere?: Readonly<Record<string, string>> | undefined;
  readonly anyCase?: boolean | undefined;
  readonly strict: boolean;
  readonly cast?: unknown;
}

/** Decides which of our columns (`text`, `voice`, …) a header of a file stands for. */
export class ColumnNames {
  /** Our column by the header that `--map` names for it. */
  readonly ours: ReadonlyMap<string, string>;
  /** The same from the configuration, which counts only if the file has such a header. */
  readonly oursIfThere: ReadonlyMap<string, string>;
  /** All of our columns. */
  readonly known: ReadonlySet<string>;
  readonly #anyCase: boolean;

  constructor({ map, mapIfThere = {}, anyCase = false, cast }: ColumnOptions) {
    this.ours = byHeader(map);
    this.oursIfThere = byHeader(mapIfThere);
    this.known = cast === undefined ? knownColumns() : new Set([...knownColumns(), CAST_COLUMN]);
    this.#anyCase = anyCase;
  }

  /**
   * Returns our column for a header; an unknown header itself. `all`: the headers read so far, with those beside it.
   */
  oursOf(name: string, all: ReadonlySet<string>): string {
    const mapped = this.ours.get(name) ?? this.oursIfThere.get(name);
    if (mapped !== undefined) return mapped;
    if (!this.#anyCase || this.known.has(name) || isApi(name)) return name;
    const folded = foldHeader(name);
    for (const [theirs, ours] of [...this.ours, ...this.oursIfThere])
      if (!all.has(theirs) && foldHeader(theirs) === folded) return ours;
    const isTaken = (ours: string): boolean =>
      all.has(ours) || [...this.ours, ...this.oursIfThere].some(([theirs, one]) => one === ours && all.has(theirs));
    return [...this.known].find((ours) => ours === folded && !isTaken(ours)) ?? name;
  }
}

/** Inverts a map of our columns to headers. */
function byHeader(map: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(map).map(([ours, theirs]) => [theirs.trim(), ours]));
}
