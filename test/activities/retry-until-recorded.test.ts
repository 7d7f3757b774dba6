import { describe, expect, it, jest } from '@jest/globals';
import type { WorkEvent } from '../../contract/work-events.ts';
import { retryUntilRecorded } from '../../activities/retry-until-recorded.ts';
import { LedgerUnreachable } from '../../ledger/errors.ts';
import { waitFor } from '../support/wait-for.ts';
import { BATCH, keyOf, tts, stt } from './rows.ts';
import { FullDisk } from './worker.ts';
import { begin } from './world.ts';

const FULL = new LedgerUnreachable('ledger.db', 'the disk is full', 'Free some space.');
const NEVER = new AbortController().signal;
const ACCEPTED = { verdict: 'accepted', jobId: 'j1' } as const;

function worldOf(events: WorkEvent[] = []): Parameters<typeof retryUntilRecorded>[0] & { faults: Error[] } {
  const faults: Error[] = [];
  return {
    observe: (event) => events.push(event),
    onFault: (fault) => faults.push(fault),
    ending: NEVER,
    cutting: NEVER,
    lostAnswers: { count: 0 },
    faults,
  };
}

describe('retryUntilRecorded', () => {
  it('records the answer as soon as the disk takes it, and has logged the job id before', async () => {
    let isFull = true;
    const { world, worker } = await begin([tts()], {
      ledger: ({ settle }) => ({ settle: (...record) => (isFull ? Promise.reject(FULL) : settle(...record)) }),
    });
    const submitting = worker.submit(keyOf(1));
    await waitFor(() => worker.faults.length > 0);
    expect(await world.attempts()).toEqual(['speech 1 sending']);
    isFull = false;
    expect(await submitting).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(worker.faults).toEqual([FULL]);
  });

  it.each([
    ['a transcript', stt(), 'transcription', { outcome: 'succeeded', text: expect.any(String) }],
    ['a sound', tts(), 'speech', { outcome: 'succeeded', file: { extension: 'mp3' } }],
  ] as const)('does not lose %s that comes in the answer itself', async (_, spec, step, result) => {
    const disk = new FullDisk();
    const { world, worker } = await begin([spec], { wanted: { tts: 'sync' }, store: disk.store });
    const submitting = worker.submit(keyOf(1, 1, step));
    await waitFor(() => worker.faults.length > 0);
    disk.isFull = false;
    expect(await submitting).toMatchObject({ verdict: 'done' });
    expect(await world.row()).toMatchObject(result);
    expect((await world.batch()).state).toBe('open');
  });

  it('names what was paid for in the log, once', async () => {
    const events: WorkEvent[] = [];
    const world = worldOf(events);
    let tries = 0;
    const write = (): Promise<string> => (++tries < 3 ? Promise.reject(FULL) : Promise.resolve('written'));
    expect(await retryUntilRecorded(world, keyOf(7), ACCEPTED, write)).toBe('written');
    const facts = { jobId: 'j1', verdict: 'accepted' };
    expect(events).toMatchObject([{ what: 'answer-unrecorded', batch: BATCH, row: 7, step: 'speech', facts }]);
    expect(world.faults).toEqual([FULL]);
  });

  it('gives up at once where the process can wait no longer, and on what is no trouble of the disk', async () => {
    const cut = new AbortController();
    cut.abort();
    const write = (): Promise<never> => Promise.reject(FULL);
    await expect(retryUntilRecorded({ ...worldOf(), cutting: cut.signal }, keyOf(1), ACCEPTED, write)).rejects.toBe(
      FULL,
    );
    const bug = new Error('a bug');
    const events: WorkEvent[] = [];
    const world = worldOf(events);
    await expect(retryUntilRecorded(world, keyOf(1), ACCEPTED, () => Promise.reject(bug))).rejects.toBe(bug);
    expect(world.faults).toEqual([]);
    expect(events).toMatchObject([{ facts: { jobId: 'j1' } }]);
  });

  it('waits as long as it takes, and counts what is lost when it has to end', async () => {
    const own = performance.now.bind(performance);
    let laterMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => own() + laterMs);
    const end = new AbortController();
    const world = { ...worldOf(), ending: end.signal };
    let tries = 0;
    const refuse = (): Promise<never> => {
      tries += 1;
      return Promise.reject(FULL);
    };
    const rejected = { verdict: 'rejected', failure: { class: 'BadRequest', message: 'no' } } as const;
    const lost = [
      expect(retryUntilRecorded(world, keyOf(1), ACCEPTED, refuse)).rejects.toBe(FULL),
      // Nothing was paid for this one.
      expect(retryUntilRecorded(world, keyOf(2), rejected, refuse)).rejects.toBe(FULL),
    ];
    laterMs = 3_600_000;
    await waitFor(() => tries >= 6);
    expect(world.lostAnswers.count).toBe(0);
    end.abort();
    await waitFor(() => tries >= 10);
    laterMs += 10_000;
    await Promise.all(lost);
    expect(world.lostAnswers.count).toBe(1);
  });

  it('sends nothing more after a fault, not even what is already on record', async () => {
    const faulty = new AbortController();
    const { world, worker } = await begin([tts(), tts(), tts()], {
      change: () => ({ faulty: faulty.signal }),
      atFaultPoint: (moment) => {
        if (moment === 'after-intent') faulty.abort();
      },
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'not-accepted' });
    const end = new AbortController();
    const submitting = expect(worker.submit(keyOf(2), end.signal)).rejects.toThrow();
    // Meanwhile another one that has no trouble does all of that.
    await (await world.worker()).submit(keyOf(3));
    end.abort();
    await submitting;
    expect(world.charges()).toHaveLength(1);
    expect(await world.ledger.sending(BATCH)).toEqual([]);
    expect((await world.ledger.readRow(BATCH, 2))?.charges).toEqual([]);
  });
});
