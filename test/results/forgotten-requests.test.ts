import { beforeEach, expect, it } from '@jest/globals';
import { forgottenRequests } from '../../results/forgotten-requests.ts';
import { projectBatch } from '../../results/project.ts';
import type { Counts, RowStanding } from '../../ledger/record-types.ts';
import { freshPlace } from '../support/place.ts';
import { addBatch, finish, intend, keyOf } from './sample-batch.ts';

const place = freshPlace();
let rows: readonly RowStanding[];
let counts: Counts;

async function readRows(): Promise<readonly RowStanding[]> {
  const read: RowStanding[] = [];
  for await (const one of place.ledger.scanRows('demo')) read.push(one);
  return read;
}

/** What the folder has and a ledger with these rows does not. */
function forgottenBy(standing: readonly RowStanding[], more: object = {}): Promise<readonly string[]> {
  async function* scanRows(): AsyncGenerator<RowStanding, undefined> {
    yield* standing;
  }
  return forgottenRequests(place.out, 'demo', {
    id: place.ledger.id,
    acceptedAt: () => Promise.resolve(null),
    counts: () => Promise.resolve(counts),
    scanRows,
    ...more,
  });
}

/** The folder is written when one of two rows has its result, and the other one was refused. `rows`: those of before. */
beforeEach(async () => {
  await addBatch(
    place,
    ['id'],
    ['a', 'b'].map((id) => ({ id, kind: 'tts', input: [id] }) as const),
  );
  rows = await readRows();
  counts = await place.ledger.counts('demo');
  await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound of a'));
  const failure = { class: 'BadRequest', message: 'no' } as const;
  await intend(place, keyOf(2));
  await place.ledger.settle(keyOf(2), { verdict: 'rejected', failure }, { outcome: 'failed', failure });
  await projectBatch(place.request({ complete: false }));
});

it('a ledger that is older than the out folder lacks requests that the folder has', async () => {
  expect(await forgottenBy(rows)).toEqual(['a']);
  expect(await forgottenBy(rows, { id: 'of another ledger' })).toEqual([]);
});

it('once a copy was accepted, it is found out also where the ledger has as many results', async () => {
  counts = await place.ledger.counts('demo');
  expect(await forgottenBy(rows)).toEqual([]);
  expect(await forgottenBy(rows, { acceptedAt: () => Promise.resolve(1) })).toEqual(['a']);
});

it('a ledger with fewer results lacks none whose request is on record, also as one in doubt under another number', async () => {
  const [charge] = (await place.ledger.readRow('demo', 1))?.charges ?? [];
  if (charge === undefined) throw new Error('no request');
  const having = (change: object): readonly RowStanding[] =>
    rows.map((one) => (one.row.row === 1 ? { ...one, charges: [{ ...charge, ...change }] } : one));
  expect(await forgottenBy(having({}))).toEqual([]);
  expect(await forgottenBy(having({ attempt: 2, state: 'unknown' }))).toEqual([]);
  expect(await forgottenBy(having({ attempt: 2, state: 'revoked' }))).toEqual(['a']);
  expect(await forgottenBy(having({ take: 2 }))).toEqual(['a']);
});
