import type { Reader } from '../client/look/open-reader.ts';
import { viewRowLine } from '../client/look/row-line-view.ts';
import type { RowRanks } from '../client/look/row-ranks.ts';
import { chooseBatch } from '../client/open-records.ts';
import { OUTCOMES, type Outcome } from '../contract/outcomes.ts';
import {
  ROW_FILTERS,
  ROW_ORDERS,
  SEARCHED,
  type MessagesAnswer,
  type RowFilterName,
  type RowOrder,
  type RowsAnswer,
} from './protocol.ts';
import { wire } from './wire.ts';

/** Rows on a page: more than a screen shows, few enough to be there at once. */
const PAGE = 50;

/** Whether rows that an index finds are asked for. */
export function isQuick(asked: URLSearchParams): boolean {
  return orderOf(asked) === undefined && SEARCHED.every((name) => !asked.has(name));
}

/** A page of rows. */
export async function readRows(
  ledger: Reader['ledger'],
  ranks: RowRanks,
  name: string,
  asked: URLSearchParams,
): Promise<RowsAnswer> {
  const batch = await chooseBatch(ledger, name);
  const order = orderOf(asked);
  const filter = filterOf(asked);
  if (order === undefined) {
    const isNewestFirst = asked.get('order') === 'newest';
    const { rows, next } = await ledger.rowPage(batch.name, { ...filter, isNewestFirst }, cursorOf(asked), PAGE);
    return wire({ rows: rows.map(viewRowLine), next: next === undefined ? null : { ...next, value: null } });
  }
  const after = rankedOf(asked);
  const { rows, then, last } = await ranks.page(ledger, batch.name, { filter, order, after }, PAGE);
  // Where rows are still compared, the same page is to be asked for again.
  const at = then === 'comparing' ? after : last;
  const next = { row: at?.row ?? 0, id: '', endedAt: 0, value: at?.value ?? null };
  return wire({ rows: rows.map(viewRowLine), next: then === 'end' ? null : next });
}

/** Messages of a reason that are listed. */
const MOST_MESSAGES = 10;

/** What rows of a reason say, most rows first. */
export async function readMessages(
  ledger: Reader['ledger'],
  name: string,
  asked: URLSearchParams,
): Promise<MessagesAnswer> {
  const batch = await chooseBatch(ledger, name);
  const filter = filterOf(asked);
  const { groups, others } = await ledger.failureMessages(batch.name, filter);
  const rest = groups.slice(MOST_MESSAGES).reduce((sum, { rows }) => sum + rows, 0);
  const messages = groups.slice(0, MOST_MESSAGES).map(({ message, pattern, rows }) => ({ message, pattern, rows }));
  return { messages, others: others + rest };
}

/** The order, if no index has it. */
function orderOf(asked: URLSearchParams): (typeof ROW_ORDERS)[RowOrder] | undefined {
  const word = asked.get('order') ?? '';
  if (!Object.hasOwn(ROW_ORDERS, word)) return undefined;
  if (word === 'newest' && SEARCHED.every((name) => !asked.has(name))) return undefined;
  return ROW_ORDERS[word as RowOrder];
}

type Filter = Parameters<Reader['ledger']['rankRows']>[1];

/** What each filter means to the ledger. */
const CONDITIONS: Readonly<Record<RowFilterName, (value: string) => Filter>> = {
  outcome: (word) => (word === 'open' || isOutcome(word) ? { outcome: word } : {}),
  class: (name) => ({ class: name }),
  cause: (cause) => ({ cause }),
  message: (message) => ({ message }),
  voice: (voice) => ({ voice }),
  prefix: (idPrefix) => ({ idPrefix }),
  text: (text) => ({ text }),
};

function filterOf(asked: URLSearchParams): Filter {
  return ROW_FILTERS.reduce<Filter>((filter, { name }) => {
    const value = asked.get(name);
    return value === null ? filter : { ...filter, ...CONDITIONS[name](value) };
  }, {});
}

function isOutcome(word: string): word is Outcome {
  return (OUTCOMES as readonly string[]).includes(word);
}

function cursorOf(asked: URLSearchParams): Parameters<Reader['ledger']['rowPage']>[2] {
  const id = asked.get('afterId');
  if (id === null) return undefined;
  return { row: numberIn(asked, 'afterRow'), id, endedAt: numberIn(asked, 'afterEnd') };
}

function rankedOf(asked: URLSearchParams): { readonly row: number; readonly value: number } | undefined {
  if (!asked.has('afterValue')) return undefined;
  return { row: numberIn(asked, 'afterRow'), value: numberIn(asked, 'afterValue') };
}

function numberIn(asked: URLSearchParams, name: string): number {
  return Number(asked.get(name)) || 0;
}
