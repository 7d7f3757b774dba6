import { beforeEach, expect, it, jest } from '@jest/globals';
import { createHash } from 'node:crypto';
import { sweepUploads } from '../../batches/local-media/sweep-uploads.ts';
import { cellOfContent, linkLifetimeMs } from '../../contract/local-media.ts';
import type { Store } from '../../store/store.ts';
import { uploadKeyOf } from '../../store/local-media/upload-media.ts';
import { openMediaStore } from '../../store/media-store.ts';
import { aBatch, aKey, aRow, INTENT, ledger, ledgerForEachTest } from '../ledger/setup.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { openPlace, s3ForFile } from './server.ts';

/** Uploaded local media in a real bucket, which jobs of several rows may still fetch. */

const ROWS = ['open', 'overdue', 'unknown', 'stopped', 'done'];
const LIPSYNC = 'lip-sync';

const contentOf = (name: string): { from: Buffer; bytes: number; sha256: string } => {
  const from = Buffer.from(name);
  return { from, bytes: from.length, sha256: createHash('sha256').update(from).digest('hex') };
};
const keyOf = (name: string): string => uploadKeyOf(`${contentOf(name).sha256}.mp4`);

const realNow = Date.now.bind(Date);
let store: Store;
const uploads = async (): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const key of store.list('_inputs')) found.push(key);
  return ROWS.filter((name) => found.includes(keyOf(name)));
};

s3ForFile();
ledgerForEachTest();
beforeEach(async () => {
  const bytes = await openPlace();
  store = openMediaStore(bytes);
  endAfterTest(() => store.close());
  const loading = await ledger.createBatch(aBatch());
  const rows = ROWS.map((name, at) => {
    const { bytes: size, sha256 } = contentOf(name);
    const local = { video: { path: `/${name}.mp4`, bytes: size, sha256, extension: 'mp4', seconds: 1 } };
    const video = cellOfContent(sha256);
    return { ...aRow(at + 1), spec: { kind: LIPSYNC, video, audio: 'http://h/a.mp3', local, extra: {} } as const };
  });
  await ledger.addRows(loading, rows);
  await ledger.openBatch(loading, rows.length);
  for (const name of ROWS) await bytes.put(keyOf(name), contentOf(name));
});

it('are kept as long as a job may fetch them, also that of a row that has ended', async () => {
  const sent = async (name: string, jobId?: string): Promise<ReturnType<typeof aKey>> => {
    const key = aKey(ROWS.indexOf(name) + 1, 1, 1, LIPSYNC);
    expect(await ledger.intend(key, INTENT)).toMatchObject({ type: 'go' });
    if (jobId !== undefined) await ledger.settle(key, { verdict: 'accepted', jobId }, { state: 'processing' });
    return key;
  };
  const failure = { class: 'JobFailed', message: 'It failed.' } as const;
  await ledger.changeRunning(await sent('overdue', 'j1'), { outcome: 'overdue', failure });
  const lost = { verdict: 'unknown', failure } as const;
  await ledger.settle(await sent('unknown'), lost, { outcome: 'unknown', failure });
  await ledger.changeRunning(await sent('stopped', 'j2'), { outcome: 'cancelled', failure });
  await ledger.finishJob(await sent('done', 'j3'), { failure }, { outcome: 'failed', failure });

  await sweepUploads({ ledger, store, isDryRun: false });
  expect(await uploads()).toEqual(['open', 'overdue', 'unknown', 'stopped']);

  const [batch] = await ledger.listBatches();
  const later = Date.now() + linkLifetimeMs(batch?.settings ?? { jobDeadlineMs: NaN }) + 1;
  const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
  const ownClock = { ...ledger, readClock: () => Promise.resolve(realNow()) };
  try {
    // A host whose clock is ahead of the ledger's.
    await sweepUploads({ ledger: ownClock, store, isDryRun: false });
  } finally {
    clock.mockRestore();
  }
  expect(await uploads()).toEqual(['open', 'overdue', 'unknown', 'stopped']);
  // Their links are not good any more.
  await sweepUploads({ ledger: { ...ledger, readClock: () => Promise.resolve(later) }, store, isDryRun: false });
  expect(await uploads()).toEqual(['open']);
});
