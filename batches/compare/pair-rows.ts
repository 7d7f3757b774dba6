import { hash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../../ledger/record-types.ts';
import type { Pair } from '../../policy/compare/row-parity.ts';
import { inChunks } from '../../results/in-chunks.ts';

/** Rows of two batches that are one row of a manifest, or a row that only one batch has. */
export type PairedRow =
  | { readonly type: 'pair'; readonly rows: Pair<RowStanding> }
  | { readonly type: 'only'; readonly side: 0 | 1; readonly row: RowStanding };

type RowReads = Pick<Ledger, 'scanRows' | 'rowsWithIds' | 'readRow'>;

/** Rows that are looked up together. */
const CHUNK = 200;

/**
 * Every row of two batches once: with its counterpart, or alone. Rows belong together if they have one id, else if they ask
 * for the same. Reads the batches page by page; keeps a number per row, and 22 characters for each row whose id the other
 * batch does not have.
 */
export async function* pairRows(
  ledger: RowReads,
  [one, other]: Pair<BatchRecord>,
): AsyncGenerator<PairedRow, undefined> {
  const matched = new Set<number>();
  const waiting = new Map<string, number[]>();
  for await (const rows of inChunks(ledger.scanRows(one.name), CHUNK)) {
    const found = await ledger.rowsWithIds(
      other.name,
      rows.map(({ row }) => row.id),
    );
    const byId = new Map(found.map((standing) => [standing.row.id, standing]));
    for (const row of rows) {
      const counterpart = byId.get(row.row.id);
      if (counterpart === undefined) {
        const content = contentOf(row) ?? `row ${row.row.row}`;
        waiting.set(content, [...(waiting.get(content) ?? []), row.row.row]);
      } else {
        matched.add(counterpart.row.row);
        yield { type: 'pair', rows: [row, counterpart] };
      }
    }
  }
  if (matched.size < other.rows) {
    for await (const row of ledger.scanRows(other.name)) {
      if (matched.has(row.row.row)) continue;
      const counterpart = await readWaiting(ledger, one.name, waiting.get(contentOf(row) ?? '')?.shift());
      yield counterpart === undefined ? { type: 'only', side: 1, row } : { type: 'pair', rows: [counterpart, row] };
    }
  }
  for (const number of [...waiting.values()].flat().toSorted((a, b) => a - b)) {
    const row = await readWaiting(ledger, one.name, number);
    if (row !== undefined) yield { type: 'only', side: 0, row };
  }
}

async function readWaiting(ledger: RowReads, batch: string, row: number | undefined): Promise<RowStanding | undefined> {
  return row === undefined ? undefined : ledger.readRow(batch, row);
}

/** What a row asks for, in brief; undefined if nobody knows any more. */
function contentOf({ row: { spec } }: RowStanding): string | undefined {
  if (isRequestRemoved(spec)) return undefined;
  return hash('sha256', canonicalJson(withoutDialect(spec)).normalize('NFC'), 'base64url').slice(0, 22);
}

/** What a row asks for, by whatever paths of the API: a move changes these. */
export function withoutDialect({ dialect: _, ...spec }: RowSpec): RowSpec {
  return spec;
}

/** Whether nobody knows any more what a row asked for (`clean`). */
export function isRequestRemoved({ kind: _kind, dialect: _dialect, extra, ...columns }: RowSpec): boolean {
  return Object.keys(columns).length === 0 && Object.keys(extra).length === 0;
}
