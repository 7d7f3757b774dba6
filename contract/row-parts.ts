import type { RowSpec } from './row-kinds.ts';

/** Rows in parts: a text over the API's length limit is split, and each part is a row of its own (`--split`). */

/** The request for one part of a split row. */
export interface RowPart {
  readonly spec: RowSpec;
  /** Price of its request in credits; null if unknown. */
  readonly quoted: number | null;
}

/** Returns the id of a row's part: the row's id and the part number, from 1. */
export function partId(id: string, part: number): string {
  return `${id}#${part}`;
}

/** Returns the part number in a part's id, from 1; 0 for any other id. */
export function partNumber(id: string): number {
  return Number(/#(\d+)$/u.exec(id)?.[1] ?? 0);
}

/** Returns the id of the row that a part belongs to. */
export function wholeId(id: string): string {
  return id.replace(/#\d+$/u, '');
}

/** Whether an id looks like a part's. With `--split`, no row may have such an id. */
export function mayBePartId(id: string): boolean {
  return /#\d+$/u.test(id);
}

/** Formats a number of parts: `1 part`, `1,200 parts`. */
export function formatPartCount(parts: number): string {
  return parts === 1 ? '1 part' : `${parts.toLocaleString('en-US')} parts`;
}

/** The values of `--split`, which divides texts that are too long for one request. */
export const SPLIT_MODES = ['sentences', 'paragraphs'] as const;
/**
 * `sentences`: each part has as many whole sentences as fit. `paragraphs`: one part per paragraph, so that an edit
 * affects only that part.
 */
export type SplitMode = (typeof SPLIT_MODES)[number];

/** How messages identify a row. */
export interface NamedRow {
  readonly row: number;
  readonly id: string;
  /** Number of the row that this is a part of; null or absent for a row of the manifest. */
  readonly partOf?: number | null;
}

/** Returns the members by which messages identify a row. */
export function nameOf({ row, id, partOf }: NamedRow & { readonly partOf: number | null }): NamedRow {
  return partOf === null ? { row, id } : { row, id, partOf };
}
