import { expect, it, jest } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { writeOutFolder } from '../../results/write-out-folder.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { redriveNow } from '../ledger/setup.ts';
import { freshPlace } from '../support/place.ts';
import { waitFor } from '../support/wait-for.ts';
import { addSpeech, failJob, finish, keyOf } from './sample-batch.ts';
import { onPublishing } from './publishing.ts';

const place = freshPlace();

/** Two rows of `demo`: one has its result, and the job of the other failed. */
async function addHalfFailed(): Promise<void> {
  await addSpeech(place, 'a', 'b');
  await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound of a'));
  await failJob(place, keyOf(2));
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
  const { promise: stopped, resolve: stop } = deferred();
  const { promise: going, resolve: goOn } = deferred();
  let isStopped = false;
  const after = async (path: string): Promise<void> => {
    if (isStopped || !path.endsWith('results.csv')) return;
    isStopped = true;
    stop();
    await going;
  };
  onPublishing({ after });
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
