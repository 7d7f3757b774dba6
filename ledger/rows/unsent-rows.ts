import { sql, type RawBuilder } from 'kysely';
import { ACCEPTED_STATES, type AttemptState } from '../../contract/outcomes.ts';

/** States of an attempt that has brought a result, or may: all but those that were refused or taken back. */
const SENT: readonly AttemptState[] = [...ACCEPTED_STATES, 'cached', 'sending', 'unknown'];

/** Rows that nothing was sent for which could bring a result, and that were given none: ever, or in their current take. */
export function isUnsent(rows: string, when: 'ever' | 'in-this-take'): RawBuilder<boolean> {
  const at = (column: string): RawBuilder<unknown> => sql`${sql.ref(`${rows}.${column}`)}`;
  const ofTake = when === 'ever' ? sql`` : sql`and sent.take = ${at('take')}`;
  return sql<boolean>`not exists (
    select 1 from charges as sent
    where sent.batch = ${at('batch')} and sent.row = ${at('row')} ${ofTake} and sent.state in (${sql.join(SENT)})
  )`;
}

/** Parts of a row of which another part was sent, in any take: what they hold back of a budget completes a row that is begun. */
export function hasSentSibling(rows: string): RawBuilder<boolean> {
  const at = (column: string): RawBuilder<unknown> => sql`${sql.ref(`${rows}.${column}`)}`;
  return sql<boolean>`exists (
    select 1 from rows as sibling
    join charges as sent on sent.batch = sibling.batch and sent.row = sibling.row and sent.state in (${sql.join(SENT)})
    where sibling.batch = ${at('batch')} and sibling.part_of is not null and sibling.part_of = ${at('part_of')} and sibling.row <> ${at('row')}
  )`;
}
