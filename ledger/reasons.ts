import type { FailureClass } from '../contract/failures.ts';
import type { ReasonCount } from './record-types.ts';
import type { Db } from './schema.ts';

/** Reasons of rows that nobody wanted to pay for; that is no failure. */
const NO_FAILURES: readonly FailureClass[] = ['OverBudget', 'NotChosen', 'NotCached'];

/** The most common reasons why rows failed, or are failing now, most rows first. */
export async function commonReasons(db: Db, batch: string, most: number): Promise<readonly ReasonCount[]> {
  const lines = await db
    .selectFrom('reasons')
    .select(['class', 'cause', 'open', 'ended'])
    .where('batch', '=', batch)
    .where('class', 'not in', NO_FAILURES)
    .where((eb) => eb.or([eb('open', '>', 0), eb('ended', '>', 0)]))
    .orderBy((eb) => eb('open', '+', eb.ref('ended')), 'desc')
    .orderBy('class')
    .orderBy('cause')
    .limit(most)
    .execute();
  return lines;
}
