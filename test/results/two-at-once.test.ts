import { expect, it, jest } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { writeOutFolder } from '../../results/write-out-folder.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { AtomicFile } from '../../results/atomic-file.ts';
import { redriveNow } from '../ledger/setup.ts';
import { freshPlace } from '../support/place.ts';
import { waitFor } from '../support/wait-for.ts';
import { addBatch, finish, intend, keyOf } from './sample-batch.ts';

const place = freshPlace();

/** Two rows of `demo`: one has its result, and the job of the other failed. */
async function addHalfFailed(): Promise<void> {
  await addBatch(
    place,
    ['id'],
    ['a', 'b'].map((id) => ({ id, kind: 'tts', input: [id] }) as const),
  );
  await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound of a'));
  const key = keyOf(2);
  const failure = { class: 'JobFailed', message: 'the job failed' } as const;
  await intend(place, key);
  await place.ledger.settle(key, { verdict: 'accepted', jobId: 'job-2' }, { state: 'processing' });
  await place.ledger.finishJob(key, { failure, credits: 3 }, { outcome: 'failed', failure });
  await place.ledger.closeBatch('demo');
}

/** The failed row is paid for once more, and gets its result. */
async function mend(): Promise<void> {
  const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
  await redriveNow(place.ledger, 'demo', [{ row: 2, take: 1, how }]);
  await finish(place, keyOf(2, 'speech', 1, 2), await place.store.put('demo/2-speech-2.mp3', 'sound of b'));
  await place.ledger.closeBatch('demo');
}

/** Lets the first projection stand still once it has replaced its first table, until `goOn` is called. */
function stopAfterFirstTable(): { readonly stopped: Promise<void>; readonly goOn: () => void } {
  const { value: publish } = Object.getOwnPropertyDescriptor(AtomicFile.prototype, 'publish') as {
    value: (this: AtomicFile) => Promise<void>;
  };
  const { promise: stopped, resolve: stop } = deferred();
  const { promise: going, resolve: goOn } = deferred();
  let isStopped = false;
  jest.spyOn(AtomicFile.prototype, 'publish').mockImplementation(async function (this: AtomicFile) {
    await publish.call(this);
    if (isStopped || !this.path.endsWith('results.csv')) return;
    isStopped = true;
    stop();
    await going;
  });
  return { stopped, goOn };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

it('leaves the files of one of two that write them at once, and no mixture', async () => {
  await addHalfFailed();
  const { stopped, goOn } = stopAfterFirstTable();
  const first = writeOutFolder(place.request());
  await stopped;
  await mend();
  const tryExclusive = jest.spyOn(KernelLock.prototype, 'tryExclusive');
  const second = writeOutFolder(place.request());
  const untilItWaits = waitFor(() => tryExclusive.mock.results.some(({ value }) => value === false));
  await Promise.race([second, untilItWaits]);
  goOn();
  expect((await first).kept.tables).toEqual([]);
  expect((await second).kept.tables).toEqual([]);
  expect((await verifyOut(place.out)).mismatches).toEqual([]);
  expect(JSON.parse(await readFile(join(place.out, 'summary.json'), 'utf8'))).toMatchObject({
    outcomes: { succeeded: 2 },
  });
  expect((await readdir(place.out)).sort()).toEqual([
    'media',
    'receipts.jsonl',
    'results.csv',
    'results.jsonl',
    'summary.json',
  ]);
});
