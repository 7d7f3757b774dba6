/** @slow */
import { existsSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, open, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAttempt } from '../../activities/attempt.ts';
import { recordVerdict } from '../../activities/record-answer.ts';
import { LedgerUnreachable } from '../../ledger/errors.ts';
import { withReserve } from '../../ledger/ledger.ts';
import { DiskReserve } from '../../ledger/sqlite/disk-reserve.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { openFolderStore } from '../../store/folder-store.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { keyOf, lipSync, stt, tts } from './rows.ts';
import { waitFor } from '../support/wait-for.ts';
import { createWorld } from './world.ts';

const MIB = 1024 ** 2;
const NEVER = new AbortController().signal;
const STT = keyOf(1, 1, 'transcription');

describe('a result that is the answer itself', () => {
  it.each(['start-end', 'startTime-endTime', 'start_time-end_time', 'start_ms-end_ms'])(
    'is stored as text and as subtitles: %s',
    async (times) => {
      const world = await createWorld({ shape: `segments.times=${times}` });
      await world.fill([stt('https://media.example/one-two-three-four-five.mp3?seconds=4')]);
      const worker = await world.worker();
      expect(await worker.submit(STT)).toEqual({ verdict: 'done', next: { type: 'ended' } });
      const row = await world.row(1);
      expect(row).toMatchObject({
        outcome: 'succeeded',
        text: 'one two three four five mp',
        file: { key: `${await world.stem(1, 'transcription')}.txt`, extension: 'txt' },
      });
      const stem = await world.stem(1, 'transcription');
      expect(row.extraFiles.map(({ key }) => key)).toEqual([`${stem}.srt`, `${stem}.vtt`]);
      const [txt, srt, vtt] = await Promise.all(
        [row.file, ...row.extraFiles].map((file) => readFile(worker.deps.store.pathOf(file?.key ?? '') ?? '', 'utf8')),
      );
      expect(txt).toBe('one two three four five mp\n');
      expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\none two three four\n\n2\n/);
      expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 --> /);
      expect(row.charges).toMatchObject([{ state: 'done', charged: 4, chargedFrom: 'api', file: row.file }]);
      expect(world.charges()).toMatchObject([{ credits: 4 }]);
    },
  );

  it.each(['untimed', 'empty'])('is stored as text alone where segments have no times: %s', async (times) => {
    const world = await createWorld({ shape: `segments.times=${times}` });
    await world.fill([stt()]);
    await (await world.worker()).submit(STT);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', extraFiles: [], file: { extension: 'txt' } });
  });

  it.each(['length', 'chunked'])('is streamed to the store before the verdict: %s', async (transfer) => {
    const world = await createWorld({ shape: `media.transfer=${transfer}` });
    await world.fill([tts('Spoken at once.')], { tts: 'sync' });
    const stored: unknown[] = [];
    const worker = await world.worker({
      atFaultPoint: async (moment) => {
        if (moment !== 'after-answer') return;
        stored.push(await worker.deps.store.find(await world.stem(1), { family: 'audio' }), await world.attempts(1));
      },
    });
    expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'done', next: { type: 'ended' } });
    const { file, outcome, charges } = await world.row(1);
    expect(outcome).toBe('succeeded');
    expect(stored).toEqual([file, ['speech 1 sending']]);
    expect(charges).toMatchObject([{ state: 'done', file, jobId: null }]);
    expect(charges[0]?.finishedAt).not.toBeNull();
  });

  it.each(['cut', 'wrong-length', 'wrong-type'] as const)(
    'that is not whole leaves the row unknown: %s',
    async (fault) => {
      const world = await createWorld({ plan: { rules: [{ on: 'create', fault }] }, shape: 'media.transfer=length' });
      await world.fill([tts()], { tts: 'sync' });
      const worker = await world.worker();
      expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
      expect((await world.row(1)).outcome).toBe('unknown');
      expect(await worker.deps.store.find(await world.stem(1), { family: 'audio' })).toBeUndefined();
      expect(worker.faults).toEqual([]);
      expect(world.charges()).toHaveLength(1);
    },
  );

  it('has its price on record before it is stored, where the API names one', async () => {
    const world = await createWorld({ shape: 'sync.headers=named,segments.times=empty' });
    await world.fill([tts('Spoken.'), stt()], { tts: 'sync' });
    const told: unknown[] = [];
    const worker = await world.worker({
      change: ({ store }) => ({
        store: {
          ...store,
          write: async (...what) => {
            told.push((await world.row(told.length + 1)).charges);
            return store.write(...what);
          },
        },
      }),
    });
    await worker.submit(keyOf(1));
    await worker.submit(keyOf(2, 1, 'transcription'));
    expect(told).toMatchObject(world.charges().map(({ credits }) => [{ state: 'sending', reportedPrice: credits }]));
  });

  it('loses nothing where its price cannot be noted', async () => {
    const world = await createWorld({ shape: 'sync.headers=named' });
    await world.fill([tts('Spoken.')], { tts: 'sync' });
    const worker = await world.worker({
      change: ({ ledger }) => ({ ledger: { ...ledger, notePrice: () => Promise.reject(new Error('no room')) } }),
    });
    expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'done', next: { type: 'ended' } });
    expect((await world.row(1)).charges).toMatchObject([{ chargedFrom: 'api', charged: world.charges()[0]?.credits }]);
    expect(worker.faults).toEqual([]);
  });

  it('that the disk does not take is told at once, before more is paid for', async () => {
    const world = await createWorld();
    await world.fill([tts()], { tts: 'sync' });
    const cut = new AbortController();
    const worker = await world.worker({
      change: ({ store }) => ({
        cutting: cut.signal,
        store: {
          ...store,
          write: (_stem, body) => {
            if (!Buffer.isBuffer(body)) body.destroy();
            const cause = Object.assign(new Error('ENOSPC: no space left on device, write'), {
              code: 'ENOSPC',
              syscall: 'write',
            });
            return Promise.reject(new StoreUnwritable('x.part', cause));
          },
        },
      }),
    });
    const submitting = worker.submit(keyOf(1));
    await waitFor(() => worker.faults.length > 0);
    // It is tried as long as the process can wait.
    cut.abort();
    expect(await submitting).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(worker.faults).toEqual([expect.any(StoreUnwritable)]);
  });
});

describe('what an answer means for its row', () => {
  const failure = { class: 'ServiceDown', message: 'Out to lunch.', status: 503 } as const;

  it.each([
    ['accepted', { verdict: 'accepted', jobId: 'j1' }, tts(), { state: 'processing', outcome: null }],
    ['refused', { verdict: 'not-accepted', failure }, tts(), { state: 'waiting', outcome: null }],
    [
      'rejected',
      { verdict: 'rejected', failure: { ...failure, class: 'BadRequest' } },
      tts(),
      { outcome: 'failed', failure: { class: 'BadRequest', message: 'Out to lunch. (nothing was charged)' } },
    ],
    [
      'lost',
      { verdict: 'unknown', failure },
      tts(),
      { outcome: 'unknown', failure: { class: 'OutcomeUnknown', message: 'Out to lunch. (it may have been charged)' } },
    ],
    ['lost, and may be in a list', { verdict: 'unknown', failure }, lipSync(), { state: 'submitting', outcome: null }],
  ] as const)('%s', async (_, verdict, spec, meaning) => {
    const world = await createWorld();
    await world.fill([spec]);
    const { deps } = await world.worker();
    const key = keyOf(1, 1, spec.kind === 'tts' ? 'speech' : 'lip-sync');
    await deps.ledger.intend(key, { quoted: 1, quotedRest: 0, owner: 'w', maxSending: 8 });
    await recordVerdict(deps, await loadAttempt(deps, key), key, verdict, NEVER);
    expect(await world.row(1)).toMatchObject(meaning);
  });

  const FULL = new LedgerUnreachable('ledger.db', 'the disk is full', 'Free some space.');

  it('is recorded although the pause that follows from it cannot be, and then so is that', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    let refused = 0;
    const { deps } = await world.worker({
      change: ({ ledger }) => ({
        ledger: {
          ...ledger,
          // There is room once the answer has taken what was kept for it.
          setControl: async (...control) => {
            const { charges } = await world.row(1);
            if (charges[0]?.state === 'sending') return Promise.reject(FULL).finally(() => refused++);
            return ledger.setControl(...control);
          },
        },
      }),
    });
    const noCredits = { class: 'OutOfCredits', message: 'No credits.', status: 402 } as const;
    await deps.ledger.intend(keyOf(1), { quoted: 1, quotedRest: 0, owner: 'w', maxSending: 8 });
    const verdict = { verdict: 'not-accepted', failure: noCredits } as const;
    await recordVerdict(deps, await loadAttempt(deps, keyOf(1)), keyOf(1), verdict, NEVER);
    expect(await world.attempts(1)).toEqual(['speech 1 not-accepted']);
    expect(refused).toBe(1);
    expect((await deps.ledger.findBatch(keyOf(1).batch))?.control).toBe('paused');
  });

  it('is recorded although what it says of long texts cannot be', async () => {
    const world = await createWorld();
    await world.fill([tts('A long story. '.repeat(200))]);
    const { deps } = await world.worker({
      change: ({ ledger }) => ({ ledger: { ...ledger, noteTextLimit: () => Promise.reject(FULL) } }),
    });
    await deps.ledger.intend(keyOf(1), { quoted: 1, quotedRest: 0, owner: 'w', maxSending: 8 });
    const tooLong = { class: 'BadRequest', message: 'text must be at most 2000 characters', status: 400 } as const;
    const verdict = { verdict: 'rejected', failure: tooLong } as const;
    await recordVerdict(deps, await loadAttempt(deps, keyOf(1)), keyOf(1), verdict, NEVER);
    expect(await world.row(1)).toMatchObject({ outcome: 'failed', failure: { cause: 'the text is too long' } });
  });
});

describe('long speech that is the answer itself', () => {
  const LONG = { ...tts('A long story. '.repeat(100)), format: 'wav' } as const;

  it('is received to its end once the full disk has room, and takes none that is kept for other answers', async () => {
    const world = await createWorld({ shape: 'media.transfer=chunked' });
    await world.fill([LONG], { tts: 'sync' });
    const folder = await mkdtemp(join(tmpdir(), 'voxbatch-full-'));
    const disk = await mountSmallDisk(join(folder, 'disk'), 24 * MIB);
    // Without the right to mount, the tests of the store and of the ledger's reserve stand for this one.
    if (disk === undefined) return rm(folder, { recursive: true });
    const store = openFolderStore(join(disk.path, 'store'));
    const path = join(disk.path, 'ledger.db');
    await writeFile(path, '');
    const reserve = new DiskReserve(path, 0);
    let asked = 0;
    try {
      await store.claim('test');
      const worker = await world.worker({
        atFaultPoint: (moment) => (moment === 'after-intent' ? disk.fill() : undefined),
        change: ({ ledger }) => {
          const kept = withReserve(ledger, reserve);
          return { store, ledger: { ...kept, leaveRoom: (of) => kept.leaveRoom(of).finally(() => (asked += 1)) } };
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
      expect(await submitting).toEqual({ verdict: 'done', next: { type: 'ended' } });
      const { outcome, file } = await world.row(1);
      expect(outcome).toBe('succeeded');
      expect(file?.bytes).toBeGreaterThan(MIB);
      expect(await store.find(await world.stem(1), { family: 'audio' })).toMatchObject({ sha256: file?.sha256 });
      expect(world.charges()).toHaveLength(1);
    } finally {
      await store.close();
      await disk.close();
      await rm(folder, { recursive: true });
    }
  });

  it('is unknown, and not paid for again, where the disk has lost part of it, and the worker is told', async () => {
    const world = await createWorld({ shape: 'media.transfer=chunked' });
    await world.fill([LONG], { tts: 'sync' });
    const worker = await world.worker({
      atFaultPoint: async (moment) => {
        if (moment !== 'before-rename') return;
        const parts = join(world.folder, 'store', '.parts');
        const [part = ''] = await readdir(parts);
        await chmod(join(parts, part), 0o644);
        const file = await open(join(parts, part), 'r+');
        await file.write(Buffer.alloc(4_096), 0, 4_096, MIB);
        await file.close();
      },
    });
    expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(worker.faults).toEqual([expect.objectContaining({ code: 'LOST' })]);
    expect(await world.row(1)).toMatchObject({
      outcome: 'unknown',
      failure: {
        class: 'OutcomeUnknown',
        message: expect.stringContaining('this machine could not store it: the disk did not keep what was written'),
      },
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ next: { type: 'ended' } });
    expect(world.charges()).toHaveLength(1);
    expect(await world.paidRequests()).toBe(1);
  });
});
