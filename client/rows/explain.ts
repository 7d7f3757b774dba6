import { isSingle } from '../../contract/batch.ts';
import { defaultOut } from '../../contract/batch-name.ts';
import { isRequestRemoved } from '../../batches/clean/cleaned-rows.ts';
import { explainRow, type RowHistory } from '../../batches/rows/explain.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { isWritten } from '../../results/is-written.ts';
import { inOrder } from '../../results/result-line.ts';
import { chooseBatch } from '../open-records.ts';
import { storedRows } from '../results/forgotten-results.ts';
import { searchedStore } from '../claim-store.ts';
import type { Settings } from '../settings.ts';
import { isDeserted } from '../temporal/home-processes.ts';
import { isLedgerUnconfirmed } from '../trust/known-ledgers.ts';
import { nextForRow, type RowNext } from './row-steps.ts';

/**
 * The words that name a row: an id (or a row number if no row has that id) and optionally its batch, in either order.
 */
export interface RowRequest {
  readonly first: string;
  readonly second?: string | undefined;
  /** The batch, by `--batch`. */
  readonly named?: string | undefined;
}

/** A row and its batch; undefined means the newest batch. */
export interface RowReading {
  readonly row: string;
  readonly batch: string | undefined;
}

/** The row meant, or why it is unclear. */
export type RowAnswer =
  | { readonly type: 'found'; readonly history: RowHistory }
  /** The words name another batch than `--batch`. */
  | { readonly type: 'contradiction' }
  /** Both words name a batch that has a row of the other name. */
  | { readonly type: 'ambiguous'; readonly readings: readonly [RowReading, RowReading] }
  | { readonly type: 'no-row'; readonly row: string; readonly batch: BatchRecord };

/** All records of a row, and its next steps. */
export interface RowExplanation extends RowHistory {
  /** Address of the store; the path of a folder is absolute. */
  readonly store: string;
  /** Its input was removed by `clean`. */
  readonly isRequestRemoved: boolean;
  /** Next steps; undefined if this user has not confirmed the ledger, whose commands might be somebody else's. */
  readonly next: RowNext | undefined;
}

/** Resolves the words and returns everything about that row. */
export async function explain(
  ledger: Ledger,
  settings: Settings,
  request: RowRequest,
): Promise<Exclude<RowAnswer, { type: 'found' }> | { readonly type: 'explained'; readonly row: RowExplanation }> {
  const answer = await findHistory(ledger, request, settings);
  if (answer.type !== 'found') return answer;
  const { history } = answer;
  const { batch, money } = history;
  const hasNoWorker = batch.state === 'open' && (await isDeserted(ledger, settings.home));
  const isStored =
    history.row.outcome === 'skipped' && (await storedRows(settings, ledger, batch)).has(history.row.row);
  const written = await isWritten(defaultOut(batch.name), { batch, counts: await ledger.counts(batch.name), money });
  const row = {
    ...history,
    charges: inOrder(history),
    store: settings.store,
    isRequestRemoved: isRequestRemoved(batch, history.row),
    next: isLedgerUnconfirmed(settings, ledger)
      ? undefined
      : nextForRow({
          ...history,
          isStored,
          isWritten: written,
          isDeserted: hasNoWorker,
          isCluster: settings.cluster !== undefined,
        }),
  };
  return { type: 'explained', row };
}

/** Resolves the words to a row. `settings`: the store to search for its file. Default: it is not searched for. */
export async function findHistory(
  ledger: Ledger,
  request: RowRequest,
  settings?: Pick<Settings, 'store' | 'env'>,
): Promise<RowAnswer> {
  const batches = await ledger.listBatches();
  const known = batches.map(({ name }) => name);
  const single = batches.filter(isSingle).map(({ name }) => name);
  const [reading, other] = rowReadings(request, { known, single });
  if (reading === undefined) return { type: 'contradiction' };
  const found: RowHistory[] = [];
  for (const each of other === undefined ? [reading] : [reading, other]) {
    const batch = await chooseBatch(ledger, each.batch);
    const answer = await explainRow(ledger, batch, each.row, settings && searchedStore(settings, ledger, batch));
    if (answer.type === 'found') found.push(answer.history);
  }
  const [history, another] = found;
  if (history === undefined)
    return { type: 'no-row', row: reading.row, batch: await chooseBatch(ledger, reading.batch) };
  if (other === undefined || another === undefined) return { type: 'found', history };
  return { type: 'ambiguous', readings: [reading, other] };
}

/**
 * The possible readings of `explain`'s words: a row, or a row and its batch in either order. A single job's name stands
 * for its only row. `known`: names of all batches; `single`: those that are single jobs. Empty if `--batch` contradicts
 * both words. If neither word is a batch, the first is taken for one, so that the error names it.
 */
export function rowReadings(
  { first, second, named }: RowRequest,
  { known, single }: { readonly known: readonly string[]; readonly single: readonly string[] },
): readonly RowReading[] {
  if (second === undefined) {
    const isJob = named === undefined && single.includes(first);
    return isJob ? [{ row: '1', batch: first }] : [{ row: first, batch: named }];
  }
  const asBatchAndRow = { batch: first, row: second };
  if (first === second) return named === undefined || named === first ? [asBatchAndRow] : [];
  const orders = [asBatchAndRow, { batch: second, row: first }];
  if (named !== undefined) return orders.filter(({ batch }) => batch === named);
  const fitting = orders.filter(({ batch }) => known.includes(batch));
  return fitting.length > 0 ? fitting : [asBatchAndRow];
}
