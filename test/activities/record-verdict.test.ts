/** @slow */
import { existsSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, open, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAttempt } from '../../activities/attempt.ts';
import { recordVerdict } from '../../activities/record-verdict.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { LedgerUnreachable } from '../../ledger/errors.ts';
import { withReserve } from '../../ledger/ledger.ts';
import { DiskReserve } from '../../ledger/sqlite/disk-reserve.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { openFolderBytes } from '../../store/folder-bytes.ts';
import { openMediaStore } from '../../store/media-store.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { waitFor } from '../support/wait-for.ts';
import { INTENT, keyOf, tts, stt, lipSync } from './rows.ts';
import { FullDisk, type Worker } from './worker.ts';
import { begin } from './world.ts';

const MIB = 1024 ** 2;
const STT = keyOf(1, 1, 'transcription');
const SYNC = { tts: 'sync' } as const;
const DONE = { verdict: 'done', next: { type: 'ended' } };
const UNKNOWN = { verdict: 'unknown', next: { type: 'ended' } };

describe('a result that is the answer itself', () => {
  it.each(['start-end', 'startTime-endTime', 'start_time-end_time', 'start_ms-end_ms'])(
    'is stored as text and as subtitles: %s',
    async (times) => {
      const { world, worker } = await begin([stt('https://media.example/one-two-three-four-five.mp3?seconds=4')], {
        shape: `segments.times=${times}`,
      });
      expect(await worker.submit(STT)).toEqual(DONE);
      const [row, stem] = [await world.row(), await world.stem(1, 'transcription')];
      const text = 'one two three four five mp';
      expect(row).toMatchObject({ outcome: 'succeeded', text, file: { key: `${stem}.txt`, extension: 'txt' } });
      expect(row.extraFiles.map(({ key }) => key)).toEqual([`${stem}.srt`, `${stem}.vtt`]);
      const [txt, srt, vtt] = await Promise.all(
        ['txt', 'srt', 'vtt'].map((one) => readFile(join(world.folder, 'store', `${stem}.${one}`), 'utf8')),
      );
      expect(txt).toBe(`${text}\n`);
      expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\none two three four\n\n2\n/);
      expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 --> /);
      expect(row.charges).toMatchObject([{ state: 'done', charged: 4, chargedFrom: 'api', file: row.file }]);
      expect(world.charges()).toMatchObject([{ credits: 4 }]);
    },
  );

  it.each(['untimed', 'empty'])('is stored as text alone where segments have no times: %s', async (times) => {
    const { world, worker } = await begin([stt()], { shape: `segments.times=${times}` });
    await worker.submit(STT);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', extraFiles: [], file: { extension: 'txt' } });
  });

  it.each(['length', 'chunked'])('is streamed to the store before the verdict: %s', async (transfer) => {
    const { world, worker } = await begin([tts()], { shape: `media.transfer=${transfer}`, wanted: SYNC });
    const { ended, release } = await world.stopAt('after-answer');
    const stored = await worker.deps.store.find(await world.stem(), { family: 'audio' });
    expect(await world.attempts()).toEqual(['speech 1 sending']);
    release();
    expect(await ended).toEqual(DONE);
    const { file, outcome, charges } = await world.row();
    expect([outcome, file]).toEqual(['succeeded', stored]);
    expect(charges).toMatchObject([{ state: 'done', file, jobId: null, finishedAt: expect.any(Number) }]);
  });

  it.each(['cut', 'wrong-length', 'wrong-type'] as const)(
    'that is not whole leaves the row unknown: %s',
    async (fault) => {
      const { world, worker } = await begin([tts()], {
        rules: [{ on: 'create', fault }],
        shape: 'media.transfer=length',
        wanted: SYNC,
      });
      expect(await worker.submit(keyOf(1))).toEqual(UNKNOWN);
      expect(await world.outcomes()).toEqual(['unknown']);
      expect(await worker.deps.store.find(await world.stem(), { family: 'audio' })).toBeUndefined();
      expect([worker.faults.length, world.charges().length]).toEqual([0, 1]);
    },
  );

  it('has its price on record before it is stored, where the API names one', async () => {
    const told: unknown[] = [];
    const { world, worker } = await begin([tts(), stt()], {
      shape: 'sync.headers=named,segments.times=empty',
      wanted: SYNC,
      store: (store) => ({
        write: async (...what) => {
          told.push((await world.row(told.length + 1)).charges);
          return store.write(...what);
        },
      }),
    });
    for (const key of [keyOf(1), keyOf(2, 1, 'transcription')]) await worker.submit(key);
    expect(told).toMatchObject(world.charges().map(({ credits }) => [{ state: 'sending', reportedPrice: credits }]));
  });

  it('loses nothing where its price cannot be noted', async () => {
    const { world, worker } = await begin([tts()], {
      shape: 'sync.headers=named',
      wanted: SYNC,
      ledger: () => ({ notePrice: () => Promise.reject(new Error('no room')) }),
    });
    expect(await worker.submit(keyOf(1))).toEqual(DONE);
    expect((await world.row()).charges).toMatchObject([{ chargedFrom: 'api', charged: world.charges()[0]?.credits }]);
    expect(worker.faults).toEqual([]);
  });

  it('that the disk does not take is told at once, before more is paid for', async () => {
    const cut = new AbortController();
    const disk = new FullDisk();
    const { worker } = await begin([tts()], {
      wanted: SYNC,
      store: disk.store,
      change: () => ({ cutting: cut.signal }),
    });
    const submitting = worker.submit(keyOf(1));
    await waitFor(() => worker.faults.length > 0);
    // It is tried as long as the process can wait.
    cut.abort();
    expect(await submitting).toEqual(UNKNOWN);
    expect(worker.faults).toEqual([disk.fault]);
  });
});

/** Records what came of a request that is on the wire. */
async function record(
  { deps }: Worker,
  verdict: Parameters<typeof recordVerdict>[3],
  key: AttemptKey = keyOf(1),
): Promise<void> {
  await deps.ledger.intend(key, INTENT);
  await recordVerdict(deps, await loadAttempt(deps, key), key, verdict);
}

describe('what an answer means for its row', () => {
  const failure = { class: 'ServiceDown', message: 'Out to lunch.', status: 503 } as const;
  const rejected = { verdict: 'rejected', failure: { ...failure, class: 'BadRequest' } } as const;
  const lost = { verdict: 'unknown', failure } as const;
  const said = (words: string): string => `Out to lunch. (${words})`;

  it.each([
    ['accepted', { verdict: 'accepted', jobId: 'j1' }, tts(), { state: 'processing', outcome: null }],
    ['refused', { verdict: 'not-accepted', failure }, tts(), { state: 'waiting', outcome: null }],
    ['rejected', rejected, tts(), { class: 'BadRequest', message: said('nothing was charged') }],
    ['lost', lost, tts(), { class: 'OutcomeUnknown', message: said('it may have been charged') }],
    ['lost, and may be in a list', lost, lipSync(), { state: 'submitting', outcome: null }],
  ] as const)('%s', async (_, verdict, spec, meaning) => {
    const { world, worker } = await begin([spec]);
    await record(worker, verdict, keyOf(1, 1, spec.kind === 'tts' ? 'speech' : 'lip-sync'));
    const outcome = verdict === rejected ? 'failed' : 'unknown';
    expect(await world.row()).toMatchObject('class' in meaning ? { outcome, failure: meaning } : meaning);
  });

  const FULL = new LedgerUnreachable('ledger.db', 'the disk is full', 'Free some space.');

  it('is recorded although the pause that follows from it cannot be, and then so is that', async () => {
    let refused = 0;
    const { world, worker } = await begin([tts()], {
      ledger: ({ setControl }) => ({
        // There is room once the answer has taken what was kept for it.
        setControl: async (...control) => {
          if ((await world.row()).charges[0]?.state !== 'sending') return setControl(...control);
          refused += 1;
          throw FULL;
        },
      }),
    });
    const noCredits = { class: 'OutOfCredits', message: 'No credits.', status: 402 } as const;
    await record(worker, { verdict: 'not-accepted', failure: noCredits });
    expect(await world.attempts()).toEqual(['speech 1 not-accepted']);
    expect([refused, (await world.batch()).control]).toEqual([1, 'paused']);
  });

  it('is recorded although what it says of long texts cannot be', async () => {
    const { world, worker } = await begin([tts('A long story. '.repeat(200))], {
      ledger: () => ({ noteTextLimit: () => Promise.reject(FULL) }),
    });
    const tooLong = { class: 'BadRequest', message: 'text must be at most 2000 characters', status: 400 } as const;
    await record(worker, { verdict: 'rejected', failure: tooLong });
    expect(await world.row()).toMatchObject({ outcome: 'failed', failure: { cause: 'the text is too long' } });
  });
});

describe('long speech that is the answer itself', () => {
  const LONG = { ...tts('A long story. '.repeat(100)), format: 'wav' } as const;

  it('is received to its end once the full disk has room, and takes none that is kept for other answers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'voxbatch-full-'));
    const disk = await mountSmallDisk(join(folder, 'disk'), 24 * MIB);
    // Without the right to mount, the tests of the store and of the ledger's reserve stand for this one.
    if (disk === undefined) return rm(folder, { recursive: true });
    const store = openMediaStore(openFolderBytes(join(disk.path, 'store')));
    const path = join(disk.path, 'ledger.db');
    await writeFile(path, '');
    const reserve = new DiskReserve(path, 0);
    let asked = 0;
    try {
      await store.claim('test');
      const { world, worker } = await begin([LONG], {
        shape: 'media.transfer=chunked',
        wanted: SYNC,
        atFaultPoint: (moment) => (moment === 'after-intent' ? disk.fill() : undefined),
        store: () => store,
        ledger: (ledger) => {
          const kept = withReserve(ledger, reserve);
          return { ...kept, leaveRoom: (of) => kept.leaveRoom(of).finally(() => (asked += 1)) };
        },
      });
      const submitting = worker.submit(keyOf(1));
      await waitFor(() => worker.faults.length > 0);
      expect(worker.faults).toEqual([expect.any(StoreUnwritable)]);
      expect(existsSync(`${path}.reserve`)).toBe(true);
      // The answer to another request takes of that room.
      reserve.free();
      writeFileSync(`${path}-wal`, Buffer.alloc(MIB));
      const before = asked;
      await waitFor(() => asked > before + 1);
      const { bavail, bsize } = await statfs(disk.path);
      expect(bavail * bsize).toBeGreaterThan(6 * MIB);
      await disk.empty();
      expect(await submitting).toEqual(DONE);
      const { outcome, file } = await world.row();
      expect(outcome).toBe('succeeded');
      expect(file?.bytes).toBeGreaterThan(MIB);
      expect(await store.find(await world.stem(), { family: 'audio' })).toMatchObject({ sha256: file?.sha256 });
      expect(world.charges()).toHaveLength(1);
    } finally {
      await store.close();
      await disk.close();
      await rm(folder, { recursive: true });
    }
  });

  it('is unknown, and not paid for again, where the disk has lost part of it, and the worker is told', async () => {
    const { world, worker } = await begin([LONG], {
      shape: 'media.transfer=chunked',
      wanted: SYNC,
      atFaultPoint: async (moment) => {
        if (moment !== 'before-rename') return;
        const parts = join(world.folder, 'store', '.parts');
        const path = join(parts, (await readdir(parts))[0] ?? '');
        await chmod(path, 0o644);
        const file = await open(path, 'r+');
        await file.write(Buffer.alloc(4_096), 0, 4_096, MIB);
        await file.close();
      },
    });
    expect(await worker.submit(keyOf(1))).toEqual(UNKNOWN);
    expect(worker.faults).toEqual([expect.objectContaining({ code: 'LOST' })]);
    const words = 'this machine could not store it: the disk did not keep what was written';
    const failure = { class: 'OutcomeUnknown', message: expect.stringContaining(words) };
    expect(await world.row()).toMatchObject({ outcome: 'unknown', failure });
    expect(await worker.submit(keyOf(1))).toMatchObject({ next: { type: 'ended' } });
    expect([world.charges().length, await world.paidRequests()]).toEqual([1, 1]);
  });
});
