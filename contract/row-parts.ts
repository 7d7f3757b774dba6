import type { RowSpec } from './row-kinds.ts';

/** What a part of a row asks for. */
export interface RowPart {
  readonly spec: RowSpec;
  /** Price of its request, credits; null if it is not known. */
  readonly quoted: number | null;
}

/** The id of a part of a row: that of the row, and its number, from 1. */
export function partId(id: string, part: number): string {
  return `${id}#${part}`;
}

/** The number of a part, from 1, as its id says. */
export function partNumber(id: string): number {
  return Number(/#(\d+)$/u.exec(id)?.[1] ?? 0);
}

/** The id of the row of a part. */
export function wholeId(id: string): string {
  return id.replace(/#\d+$/u, '');
}

/** Whether an id could be that of a part. In a manifest whose rows may be split, no row may have such an id. */
export function mayBePartId(id: string): boolean {
  return /#\d+$/u.test(id);
}

/** How many parts, in words. */
export function partWord(parts: number): string {
  return parts === 1 ? '1 part' : `${parts.toLocaleString('en-US')} parts`;
}

export const SPLIT_MODES = ['sentences', 'paragraphs'] as const;
/** `sentences`: as many whole sentences a part as fit. `paragraphs`: a part for each paragraph, so that an edit changes only its own. */
export type SplitMode = (typeof SPLIT_MODES)[number];

/** A row as people name it. */
export interface NamedRow {
  readonly row: number;
  readonly id: string;
  /** It is a part of the row of this number. Null or absent: it is a row of the manifest. */
  readonly partOf?: number | null;
}

/** The name of a row. */
export function nameOf({ row, id, partOf }: NamedRow & { readonly partOf: number | null }): NamedRow {
  return partOf === null ? { row, id } : { row, id, partOf };
}
