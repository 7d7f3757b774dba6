import { expect, it } from '@jest/globals';
import { verifyOut } from '../../results/verification/verify.ts';
import { freshPlace } from '../support/place.ts';
import { changeFile } from './damage.ts';
import { OutFiles } from './out-files.ts';
import { addSpeech, keyOf } from './sample-batch.ts';

const place = freshPlace();
const out = new OutFiles(place);

/** A finished batch: a paid row, one that used its result, and one that paid because that result was damaged. */
async function project(): Promise<void> {
  const { ledger, store } = place;
  await addSpeech(place, 'a', 'b', 'c');
  const [first, copy, other] = [
    await store.put('demo/1-speech-1.mp3', 'sound'),
    await store.put('demo/2-speech-1-cached.mp3', 'sound'),
    await store.put('demo/3-speech-1.mp3', 'sound'),
  ];
  const intent = { quoted: 10, quotedRest: 0, owner: 'w', maxSending: 8, resultKey: 'key' };
  const pay = async (row: number, file: typeof first, source = {}): Promise<void> => {
    await ledger.intend(keyOf(row), { ...intent, ...source });
    await ledger.settle(keyOf(row), { verdict: 'accepted', jobId: `job-${String(row)}` }, { state: 'processing' });
    await ledger.finishJob(keyOf(row), { file, credits: 9 }, { outcome: 'succeeded', file });
  };
  await pay(1, first);
  const [result] = await ledger.findResults(['key']);
  if (result === undefined) throw new Error('there is no result');
  await ledger.useResult(keyOf(2), { result, file: copy, extraFiles: [], saved: 10, owner: 'w' });
  const { jobId, madeAt, credits } = result;
  await pay(3, other, { source: { is: 'altered', from: keyOf(1), jobId, madeAt, credits } });
  await out.project(true);
}

it('the files of rows that used earlier results say what each cost, where its result came from, what was saved', async () => {
  await project();
  const [, used] = await out.lines();
  const free = { _credits: 0, _credits_kind: 'none', _attempts: 0, _job_ids: [], _message: '' };
  expect(used).toMatchObject({ _outcome: 'cached', _file: 'media/b.mp3', ...free });
  const [, cached, altered] = await out.lines('receipts.jsonl');
  const source = { is: 'used', batch: 'demo', row: 1, job_id: 'job-1' };
  expect(cached).toMatchObject({ verdict: 'cached', charged: null, file: { name: 'media/b.mp3' }, source });
  expect(altered).toMatchObject({ verdict: 'accepted', source: { is: 'altered', row: 1 } });
  expect(await out.summary()).toMatchObject({
    outcomes: { succeeded: 2, cached: 1 },
    credits: { charged: 18, saved: 10, damaged: 1 },
  });
});

it('they add up, and a changed figure is found', async () => {
  await project();
  expect(await verifyOut(place.out)).toMatchObject({ mismatches: [], media: 3, outcomes: { cached: 1 } });
  await changeFile(out.pathOf('summary.json'), (text) => text.replace('"saved": 10', '"saved": 11'));
  const [mismatch] = (await verifyOut(place.out)).mismatches;
  expect(mismatch).toMatchObject({ where: 'summary.json, credits.saved' });
});
