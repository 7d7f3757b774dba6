import type { FailureClass } from '../../contract/failures.ts';
import { limiterScope } from '../../contract/names.ts';
import { failingOf, limitedOf, type ApiHealth, type RateState } from '../../policy/pacing/rate.ts';
import { mayBeSilent, silenceOf, type RequestsOnWire } from '../../policy/pacing/silence.ts';
import { isRunning, isSending } from '../conditions.ts';
import { preparedEach, preparedOne } from '../database/prepared.ts';
import { readSnapshot } from '../database/transactions.ts';
import { selectLimiter } from '../lanes/limiters.ts';
import { livingWorkers } from '../lanes/workers.ts';
import type { BatchRecord } from '../batches/batch-records.ts';
import type { Db, Tx } from '../schema.ts';
import { LEFT_OUT_OUTCOMES } from '../../contract/outcomes.ts';

/** What is needed of a batch. */
type OfBatch = Pick<BatchRecord, 'name' | 'settings' | 'createdAt' | 'apiUrl' | 'account'>;

/**
 * Selects a batch's requests that wait for an answer, per worker that sent them. Leaves out uploads of recordings: they
 * may take minutes, and nobody records when the last byte is sent. Exported for the test of its query plan.
 */
export const selectOnWire = preparedEach((db, { batch }: { batch: string }) =>
  db
    .selectFrom('charges')
    .select(({ fn }) => [
      'batch',
      'owner',
      fn.countAll<number>().as('requests'),
      fn.min<number>('intent_at').as('since'),
    ])
    .where('batch', '=', batch)
    .where(isSending('charges'))
    .where((eb) => eb.or([eb('operation', 'is', null), eb('operation', '!=', 'voice')]))
    .groupBy(['batch', 'owner']),
);

/** The waiting requests of one worker, `owner`. */
type OfSender = RequestsOnWire & { readonly owner: string };

/** Selects when the API last accepted a job of the batch that still runs. */
const selectAccepted = preparedOne((db, { batch }: { batch: string }) =>
  db
    .selectFrom('charges')
    .select(({ fn }) => fn.max<number | null>('verdict_at').as('at'))
    .where('batch', '=', batch)
    .where(isRunning('charges')),
);

/** Failures of rows that got no answer from the API. */
const NO_ANSWERS: readonly FailureClass[] = ['NotSent', 'ServiceDown', 'NoVoice', 'NotJoined', 'InternalError'];

/** Selects when a row last ended with an answer from the API. Exported for the test of its query plan. */
export const selectEnded = preparedOne((db, { batch, since }: { batch: string; since: number }) =>
  db
    .selectFrom('rows')
    .select('ended_at as at')
    .where('batch', '=', batch)
    .where('ended_at', '>=', since)
    // Rows with these outcomes ended without an answer from the API.
    .where('outcome', 'not in', [...LEFT_OUT_OUTCOMES, 'unknown', 'overdue', 'cached'])
    .where((eb) => eb.or([eb('failure_class', 'is', null), eb('failure_class', 'not in', NO_ANSWERS)]))
    .orderBy('ended_at', 'desc')
    .limit(1),
);

/** Returns whether the API has answered the calls of a batch, and limited their rate, since the batch began. */
export async function apiHealth(db: Db, batch: OfBatch): Promise<ApiHealth> {
  const [found] = await readSnapshot(db, (tx) => apiHealthOfEach(tx, [batch]));
  return found ?? { silence: null, limited: null };
}

/**
 * Like {@link apiHealth}, for each of many batches, in their order. Looks up a batch's last answer only if the API may
 * be silent, so it costs little while the API answers.
 */
export async function apiHealthOfEach(tx: Tx, batches: readonly OfBatch[]): Promise<readonly ApiHealth[]> {
  const keys = batches.map(({ name }) => ({ batch: name }));
  const onWire = await selectOnWire(tx, keys);
  const found: ApiHealth[] = [];
  for (const batch of batches) {
    const own = onWire.filter((line) => line.batch === batch.name);
    found.push(await healthOf(tx, batch, own));
  }
  return found;
}

async function healthOf(
  tx: Tx,
  { name, settings, apiUrl, account, createdAt }: OfBatch,
  senders: readonly OfSender[],
): Promise<ApiHealth> {
  /** The state of the account's rate limiter for this class of calls. */
  const rateState = async (endpoint: string): Promise<Partial<RateState>> => {
    const line = await selectLimiter(tx, { scope: limiterScope({ realm: { apiUrl, account } }, endpoint) });
    return line === undefined ? {} : (JSON.parse(line.state) as RateState);
  };
  const [create, read] = [await rateState('create'), await rateState('read')];
  const limited = limitedOf(create, createdAt);
  const failing = [create, read].flatMap((state) => failingOf(state, createdAt) ?? []);
  const now = tx.now();
  if (!mayBeSilent({ failing, onWire: sumOf(senders) }, now)) return { silence: null, limited };
  // Without a worker, nobody calls the API or waits for it.
  const living = await livingWorkers(tx, apiUrl, account);
  if (living.length === 0) return { silence: null, limited };
  const onWire = sumOf(senders.filter(({ owner }) => living.includes(owner)));
  const since = Math.min(...failing.map((calls) => calls.since), onWire?.since ?? now);
  const answers = [await selectAccepted(tx, { batch: name }), await selectEnded(tx, { batch: name, since })];
  const answeredAt = Math.max(...answers.map((found) => found?.at ?? 0));
  return { silence: silenceOf({ failing, onWire, answeredAt }, settings, now) ?? null, limited };
}

/** The waiting requests of all these workers together; undefined if there are none. */
function sumOf(senders: readonly RequestsOnWire[]): RequestsOnWire | undefined {
  if (senders.length === 0) return undefined;
  const requests = senders.reduce((sum, one) => sum + one.requests, 0);
  return { requests, since: Math.min(...senders.map(({ since }) => since)) };
}
