import type { Reader } from '../client/status/open-reader.ts';
import { viewRowLine } from '../client/rows/row-line-view.ts';
import type { RowRanks } from '../client/rows/row-ranks.ts';
import { chooseBatch } from '../client/open-records.ts';
import { OUTCOMES, type Outcome } from '../contract/outcomes.ts';
import { ROWS_PER_PAGE, type MessagesAnswer, type RowsAnswer } from './protocol.ts';
import { ROW_FILTERS, ROW_ORDERS, UNINDEXED_FILTERS, type RowFilterName, type RowOrder } from './row-query.ts';
import { wire } from './json.ts';

/** Whether an index serves the filters and the order of this query. */
export function isIndexed(query: URLSearchParams): boolean {
  return unindexedOrderOf(query) === undefined && !hasUnindexedFilter(query);
}

/**
 * Returns a page of rows that match the query's filters, in its order; with `limit`, at most so many. Rows without an
 * index are searched for a limited time, so a page may be short although more rows follow; `next` says where to go on.
 */
export async function readRows(
  ledger: Reader['ledger'],
  ranks: RowRanks,
  name: string,
  query: URLSearchParams,
): Promise<RowsAnswer> {
  const batch = await chooseBatch(ledger, name);
  const order = unindexedOrderOf(query);
  const filter = filterOf(query);
  const limit = limitOf(query);
  if (order === undefined) {
    const isNewestFirst = query.get('order') === 'newest';
    const { rows, next } = await ledger.rowPage(batch.name, { ...filter, isNewestFirst }, cursorOf(query), limit);
    return wire({ rows: rows.map(viewRowLine), next: next === undefined ? null : { ...next, value: null } });
  }
  const after = rankedCursorOf(query);
  const { rows, then, last } = await ranks.page(ledger, batch.name, { filter, order, after }, limit);
  // While rows are still being compared, the browser has to ask for the same page again.
  const at = then === 'comparing' ? after : last;
  const next = { row: at?.row ?? 0, id: '', endedAt: 0, value: at?.value ?? null };
  return wire({ rows: rows.map(viewRowLine), next: then === 'end' ? null : next });
}

/** Messages listed for one reason. */
const MAX_MESSAGES = 10;

/** Returns the messages of rows that match the query's filters, the most frequent first. */
export async function readMessages(
  ledger: Reader['ledger'],
  name: string,
  query: URLSearchParams,
): Promise<MessagesAnswer> {
  const batch = await chooseBatch(ledger, name);
  const filter = filterOf(query);
  const { groups, others } = await ledger.failureMessages(batch.name, filter);
  const rest = groups.slice(MAX_MESSAGES).reduce((sum, { rows }) => sum + rows, 0);
  const messages = groups.slice(0, MAX_MESSAGES).map(({ message, pattern, rows }) => ({ message, pattern, rows }));
  return { messages, others: others + rest };
}

function hasUnindexedFilter(query: URLSearchParams): boolean {
  return UNINDEXED_FILTERS.some((name) => query.has(name));
}

/** Returns the query's order if no index has it. The index by end serves `newest`, but not with a filter that scans. */
function unindexedOrderOf(query: URLSearchParams): (typeof ROW_ORDERS)[RowOrder] | undefined {
  const order = query.get('order') ?? '';
  if (!Object.hasOwn(ROW_ORDERS, order)) return undefined;
  if (order === 'newest' && !hasUnindexedFilter(query)) return undefined;
  return ROW_ORDERS[order as RowOrder];
}

type Filter = Parameters<Reader['ledger']['rankRows']>[1];

/** The ledger's condition for each filter. */
const CONDITIONS: Readonly<Record<RowFilterName, (value: string) => Filter>> = {
  outcome: (word) => (word === 'open' || isOutcome(word) ? { outcome: word } : {}),
  class: (name) => ({ class: name }),
  cause: (cause) => ({ cause }),
  message: (message) => ({ message }),
  voice: (voice) => ({ voice }),
  prefix: (idPrefix) => ({ idPrefix }),
  text: (text) => ({ text }),
};

function filterOf(query: URLSearchParams): Filter {
  return ROW_FILTERS.reduce<Filter>((filter, { name }) => {
    const value = query.get(name);
    return value === null ? filter : { ...filter, ...CONDITIONS[name](value) };
  }, {});
}

function isOutcome(word: string): word is Outcome {
  return (OUTCOMES as readonly string[]).includes(word);
}

/** Returns where the page before ended, in an indexed order; undefined for the first page. */
function cursorOf(query: URLSearchParams): Parameters<Reader['ledger']['rowPage']>[2] {
  const id = query.get('afterId');
  if (id === null) return undefined;
  return { row: numberIn(query, 'afterRow'), id, endedAt: numberIn(query, 'afterEnd') };
}

/** Returns where the page before ended, in an order without an index; undefined for the first page. */
function rankedCursorOf(query: URLSearchParams): { readonly row: number; readonly value: number } | undefined {
  if (!query.has('afterValue')) return undefined;
  return { row: numberIn(query, 'afterRow'), value: numberIn(query, 'afterValue') };
}

/** Returns how many rows are asked for, at most and by default those of a page. */
function limitOf(query: URLSearchParams): number {
  const limit = numberIn(query, 'limit');
  return Number.isInteger(limit) && limit > 0 ? Math.min(limit, ROWS_PER_PAGE) : ROWS_PER_PAGE;
}

function numberIn(query: URLSearchParams, name: string): number {
  return Number(query.get(name)) || 0;
}
