import { hash } from 'node:crypto';
import { SeenTable } from './seen-table.ts';

/** A filled input cell with the name of its column in the file. */
export type NamedCell = readonly [column: string, cell: string];

/**
 * Makes ids for rows that give none: 12 hex digits of the sha256 of the row's filled cells, sorted by column, and `-2`,
 * `-3`, … for further rows of the same content. So ids stay the same when rows or columns are put in another order.
 */
export class IdMaker {
  readonly #occurrences = new SeenTable();

  make(cells: readonly NamedCell[]): string {
    const sorted = cells.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const base = hash('sha256', JSON.stringify(sorted), 'hex').slice(0, 12);
    const occurrence = (this.#occurrences.get(base) ?? 0) + 1;
    this.#occurrences.set(base, occurrence);
    return occurrence === 1 ? base : `${base}-${occurrence}`;
  }
}
