import { isSameAttempt, isSameRow, type AttemptKey } from '../contract/batch.ts';
import { isFetchedAgain, isMaking, presentTakeOf } from './conditions.ts';
import { prepared } from './prepared.ts';
import type { Tx } from './schema.ts';
import { aliveSince } from './workers.ts';

/** An attempt of another row that may still bring a result. */
export interface MakingAttempt extends AttemptKey {
  /** True if a live worker works on its batch, or has its request on the wire. */
  readonly isAttended: boolean;
}

const selectMaking = prepared((db, { key }: { key: string }) =>
  db
    .selectFrom('charges')
    .innerJoin('rows', (join) => join.onRef('rows.batch', '=', 'charges.batch').onRef('rows.row', '=', 'charges.row'))
    .select(['charges.batch', 'charges.row', 'charges.step', 'charges.take', 'charges.attempt'])
    .select(['charges.owner', 'charges.state'])
    .where('charges.result_key', '=', key)
    .where(isMaking('charges'))
    .where('rows.outcome', 'is', null)
    .where((eb) => eb.or([eb('charges.take', '=', presentTakeOf('rows')), isFetchedAgain('charges')])),
);

/**
 * The attempt of another row that may still bring the result with this key, except those of `passOver`. Its row has not
 * ended, and is at that take or waits for that lost file: nothing else holds a key, so a kill leaves no lock.
 */
export async function makingOf(
  tx: Tx,
  key: string,
  own: AttemptKey,
  passOver: readonly AttemptKey[],
): Promise<MakingAttempt | undefined> {
  const others = (await selectMaking(tx, { key })).filter(
    (one) => !isSameRow(one, own) && !passOver.some((passed) => isSameAttempt(one, passed)),
  );
  const [first] = others;
  if (first === undefined) return undefined;
  const { owner, state, ...attempt } = first;
  const found = await tx
    .selectFrom('workers')
    .select('owner')
    .where('seen_at', '>', aliveSince(tx))
    .where((eb) => {
      const hasLane = eb(
        'owner',
        'in',
        eb.selectFrom('lanes').select('lanes.owner').where('lanes.batch', '=', attempt.batch),
      );
      // Who has sent it brings its answer home, and no more: only a lane looks after what follows. A worker may live
      // for weeks after it has left the batch.
      return state === 'sending' ? eb.or([eb('owner', '=', owner), hasLane]) : hasLane;
    })
    .executeTakeFirst();
  return { ...attempt, isAttended: found !== undefined };
}
