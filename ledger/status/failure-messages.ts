import { sql } from 'kysely';
import { messageKind, messagePattern } from '../../policy/rows/message-kind.ts';
import { isChosen } from '../conditions.ts';
import { readSnapshot } from '../database/transactions.ts';
import type { Db, Tx } from '../schema.ts';
import { jsonMember } from '../rows/json-member.ts';
import { lastRowNumber, WINDOW } from '../rows/row-pages.ts';
import { whereFilter, type RowFilter } from '../rows/row-filter.ts';

/** Rows whose failures have messages of one kind: they differ only in ids, times and numbers. */
export interface MessageGroup {
  /** Failure class. */
  readonly class: string;
  /** The message of the first of these rows. */
  readonly message: string;
  /** Matches the messages of this kind, for `RowFilter.message`. */
  readonly pattern: string;
  readonly rows: number;
  /** Number of the first of them. */
  readonly firstRow: number;
}

/** Max kinds in one answer. */
const MAX_KINDS = 1_000;

/**
 * Groups the rows of a batch that have a failure by its class and kind of message, most rows first. `others`: number of
 * rows in further groups, beyond {@link MAX_KINDS}. `isChosen`: exclude rows that `--limit` or `--sample` left out.
 */
export async function failureMessages(
  db: Db,
  batch: string,
  filter: RowFilter & { readonly isChosen?: boolean },
): Promise<{ readonly groups: readonly MessageGroup[]; readonly others: number }> {
  return readSnapshot(db, async (tx) => {
    const last = await lastRowNumber(tx, batch);
    const groups = new Map<string, MessageGroup>();
    let others = 0;
    // In windows of row numbers: for one query, a database would hold all messages at a time.
    for (let from = 0; from < last; from += WINDOW)
      for (const { class: name, message, rows, firstRow } of await messagesIn(tx, batch, filter, from)) {
        const key = JSON.stringify([name, messageKind(message)]);
        const known = groups.get(key);
        if (known === undefined && groups.size >= MAX_KINDS) others += rows;
        else
          groups.set(key, {
            ...(known ?? { class: name, message, pattern: messagePattern(message), firstRow }),
            rows: (known?.rows ?? 0) + rows,
          });
      }
    return { groups: [...groups.values()].sort((a, b) => b.rows - a.rows || a.firstRow - b.firstRow), others };
  });
}

/** Rows of a window with exactly this message. */
type Line = Pick<MessageGroup, 'class' | 'message' | 'rows' | 'firstRow'>;

async function messagesIn(
  tx: Tx,
  batch: string,
  { isChosen: onlyChosen = false, ...filter }: RowFilter & { readonly isChosen?: boolean },
  from: number,
): Promise<readonly Line[]> {
  let query = whereFilter(tx, tx.selectFrom('rows'), batch, filter)
    .select((eb) => [
      eb.ref('failure_class').$castTo<string>().as('class'),
      sql<string>`${jsonMember(tx, 'failure', 'message')}`.as('message'),
      eb.fn.countAll<number>().as('rows'),
      eb.fn.min<number>('row').as('firstRow'),
    ])
    .where('row', '>', from)
    .where('row', '<=', from + WINDOW)
    .where('failure_class', 'is not', null)
    .groupBy(['failure_class', 'message'])
    .orderBy('firstRow');
  if (onlyChosen) query = query.where(isChosen('rows'));
  return query.execute();
}
