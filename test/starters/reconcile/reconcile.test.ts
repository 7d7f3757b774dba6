/** @slow */
import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  lostVoiceLines,
  olderVoiceLines,
  orphanLines,
  priceLines,
  reconciledLine,
  reconciledWords,
} from '../../../starters/reconcile/reconcile-words.ts';
import { viewReconciled } from '../../../client/reconcile/reconcile-view.ts';
import type { Reconciled, ReconciledRow } from '../../../client/reconcile/reconcile-options.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { addSampleBatchOf } from '../../client/sample-batch-of.ts';
import { addSampleBatch, keyOf } from '../../results/sample-batch.ts';
import { expectRefused, expectRun, json, placeAtSimulator, run } from '../command-line.ts';
import { ANN } from '../../support/ann.ts';

const world = placeAtSimulator();
const { place } = world;

describe('reconcile', () => {
  it.each([
    ['--adopt e', 'expected ROW=JOB'],
    ['--adopt zz=job-1', 'has no row "zz"'],
    ['--adopt e=job-1 e=job-2', 'names row e twice'],
    ['--adopt e=job-1 f=job-1', 'names job job-1 twice'],
    ['--resubmit a', 'the row is not unknown. To run other rows again: voxbatch redrive demo --rows a'],
    ['--resubmit e,zz', 'has no row "zz"'],
    ['', 'ran against https://api.example/api/open/v1, and this is'],
  ])('refuses "%s", and changes nothing', async (words, said) => {
    await addSampleBatch(place);
    await expectRefused(`reconcile demo ${words}`, [said, 'Nothing was changed. Nothing was spent.']);
    expect((await place.ledger.readRow('demo', 5))?.row.outcome).toBe('unknown');
  });

  it('pays again only with --yes where nobody can be asked', async () => {
    await addSampleBatch(place);
    const err =
      'may be charged a second time, and there is no terminal to ask on. Nothing was changed. Nothing was spent.';
    await expectRefused('reconcile demo --resubmit e', err, 3);
    expect((await place.ledger.readRow('demo', 5))?.row).toMatchObject({ outcome: 'unknown', take: 1 });
  });
});

it('what a person decides is told by explain, with who and when', async () => {
  await addSampleBatch(place);
  const doubt = (await place.ledger.readRow('demo', 5))?.charges.at(-1);
  if (doubt === undefined) throw new Error('no request');
  for (const type of ['adopted', 'released'] as const) await place.ledger.decide(doubt, { type, jobId: 'job-7' }, ANN);
  expect((await json('explain e --batch demo')).value).toMatchObject({
    outcome: 'unknown',
    decisions: [
      { what: 'adopted', job_id: 'job-7', who: 'ann@home' },
      { what: 'released', job_id: 'job-7', who: 'ann@home' },
    ],
  });
  const out = /Decided by people\n.*ann@home, of .*job job-7 is its own \(--adopt\)\n.*\(--release\)/;
  await expectRun('explain e --batch demo', 0, { out });
});

describe('the charge of an earlier take', () => {
  beforeEach(async () => {
    await addSampleBatchOf(world.simulator, place);
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await redriveNow(place.ledger, 'demo', [{ row: 5, take: 1, how }]);
  });
  const settle = 'reconcile demo --not-charged e/1';

  it('comes into the files once a person has settled it', async () => {
    const { ledger } = place;
    await ledger.giveUp(keyOf(5, 'speech', 1, 2), { outcome: 'cancelled' });
    await ledger.closeBatch('demo');
    await run('results demo');
    const sums = async (): Promise<object> =>
      (JSON.parse(await readFile('out/demo/summary.json', 'utf8')) as { credits: object }).credits;
    expect(await sums()).toMatchObject({ uncertain: 10 });
    await expectRun(settle, 13, { out: 'take 1 was not charged; the row stays as it is' });
    expect(await ledger.money('demo')).toMatchObject(await sums());
    expect(await sums()).toMatchObject({ uncertain: 0 });
  });

  it('starts no work on a batch that is not finished', async () => {
    expect((await run(settle)).stderr).toContain('To write its files as they stand: voxbatch results demo');
    expect((await place.ledger.findBatch('demo'))?.state).toBe('open');
  });
});

describe('what reconcile says', () => {
  const facts = { row: 7, id: 'r7', jobId: 'job-1' };
  const rows: readonly ReconciledRow[] = [
    { ...facts, type: 'adopted' },
    { ...facts, type: 'still-unknown', hasList: false, makes: 'job' },
    { ...facts, type: 'refused', why: { type: 'job-taken', by: { batch: 'old', row: 3, id: 'r3' } } },
  ];
  const none = { type: 'listed', orphans: [] } as const;
  const unreadable = { type: 'unreadable', why: 'away' } as const;
  const viewOf = (reconciled: Reconciled): object => {
    const sums = { counts: {}, money: {} } as Parameters<typeof viewReconciled>[2];
    return viewReconciled(reconciled, { batch: 'b', exit: 'complete', out: '/out' }, sums, reconciledWords);
  };
  const voices = { type: 'listed', voices: [] } as const;
  const orphan = { id: 'job-9', status: 'done', createdAtMs: 0, credits: 3, videoHost: 'v.example' };

  it('of each row', () => {
    const goesOn = { steps: ['lip-sync'], quoted: 3 } as const;
    expect([...rows, { ...facts, type: 'adopted', goesOn } as const].map(reconciledLine)).toEqual([
      'r7 (row 7): has job job-1 now; its result is fetched without paying again',
      'r7 (row 7): still unknown: the API does not list such requests, so only your account can show whether it was charged',
      'r7 (row 7): does not get job job-1: r3 (row 3) of batch "old" has that job',
      'r7 (row 7): has job job-1 now; its result is fetched without paying again; then its lip-sync is sent, for about 3 credits',
    ]);
  });

  it('of a row that has a job by --adopt: how to take that back first', () => {
    const why = { type: 'adopted-before', jobId: 'wrong', batch: 'my batch' } as const;
    expect(reconciledLine({ ...facts, type: 'refused', why })).toBe(
      "r7 (row 7): does not get job job-1: it has wrong by --adopt. Take that back first: voxbatch reconcile 'my batch' --release r7",
    );
    expect(reconciledLine({ ...facts, type: 'refused', why: { ...why, take: 1 } })).toMatch(/ --release r7\/1$/);
    expect(reconciledLine({ ...facts, type: 'refused', why: { ...why, hasLaterStep: true } })).toMatch(
      /by --adopt\. If this is the job of its next step, run the same command again once .* take it back first: voxbatch/,
    );
  });

  it('of a job that cost another sum than its row was to cost', () => {
    const otherPrice = { quoted: 18, charged: 19 };
    expect(priceLines({ ...facts, type: 'adopted', otherPrice }, 'my batch')).toEqual([
      'WARNING: r7 (row 7) was to cost 18 credits, and job job-1 cost 19, so it may be the job of another row. ' +
        "To take it back: voxbatch reconcile 'my batch' --release r7",
    ]);
    expect(priceLines({ ...facts, type: 'charged', take: 1, otherPrice }, 'b').join()).toMatch(/--release r7\/1$/);
    expect(priceLines({ ...facts, type: 'adopted' }, 'b')).toEqual([]);
  });

  it('of jobs that no row has', () => {
    const lines = orphanLines({ type: 'listed', orphans: [orphan] }, 'my batch', { isWanted: true }).join('\n');
    expect(lines).toContain('They may belong to another program on this account.');
    expect(lines).toMatch(/job-9 {2}done {4}1970-01-01T00:00:00\.000Z +3 {2}v\.example/);
    expect(lines).toContain("voxbatch reconcile 'my batch' --adopt ROW=JOB");
    expect(orphanLines({ type: 'listed', orphans: [orphan] }, 'b', { isWanted: false }).join()).not.toContain(
      '--adopt',
    );
    expect(orphanLines(none, 'b', { isWanted: true })).toEqual([]);
    expect(orphanLines(unreadable, 'b', { isWanted: true })).toEqual([]);
  });

  it('to machines', () => {
    expect(viewOf({ rows, orphans: { type: 'listed', orphans: [orphan] }, voices })).toMatchObject({
      rows: [{ is: 'adopted', jobId: 'job-1' }, { is: 'still-unknown' }, { is: 'refused' }],
      orphans: [{ jobId: 'job-9', credits: 3, createdAt: new Date(0), audioHost: null }],
    });
    const unread = viewOf({ rows: [], orphans: unreadable, voices: unreadable });
    expect(unread).toMatchObject({ orphans: null, voices: null });
  });

  it('by the number and the part of a row that is spoken in parts', () => {
    const part: ReconciledRow = { row: 57, id: 'ch1#2', partOf: 3, jobId: null, type: 'resubmitted' };
    expect(reconciledLine(part)).toBe('ch1#2 (part of row 3): was sent again at full price');
    expect(viewOf({ rows: [part], orphans: none, voices })).toMatchObject({
      rows: [{ row: 3, part: 2, id: 'ch1#2' }],
    });
  });
});

const voice = { row: 1, id: 'ada', voice: 'v-1', name: 'Ada', provider: 'fishaudio', isNew: true };
const OLDER = 'may have been there before the request';

describe('voices that a lost request may have made', () => {
  const lines = (...voices: (typeof voice)[]): string => lostVoiceLines({ type: 'listed', voices }, 'cast').join('\n');

  it('are named in the command only where nothing else can be meant', () => {
    expect(lines(voice)).toMatch(/voxbatch reconcile cast --adopt ada=v-1$/);
    expect(lines(voice)).not.toContain(OLDER);
    const other = { ...voice, voice: 'v-2' };
    expect(lines(voice, other)).toMatch(/--adopt ada=VOICE$/);
    // Two rows that may have made the same voice.
    expect(lines(voice, { ...voice, row: 2, id: 'ada2' })).toMatch(/--adopt ada=VOICE$/);
  });

  it('are never named in the command if they may have been there before the request', () => {
    const older = { ...voice, isNew: false };
    expect(lines(older)).toMatch(/--adopt ada=VOICE$/);
    expect(lines(older)).toContain(OLDER);
  });

  it('are warned of once adopted, with the way back', () => {
    const adopted = { row: 1, id: 'ada', jobId: 'v-1', type: 'adopted', isResult: true } as const;
    expect(olderVoiceLines({ ...adopted, mayBeOlder: true }, 'cast').join()).toMatch(
      /^WARNING: a voice of this name may have been there before .* voxbatch reconcile cast --release ada$/,
    );
    expect(olderVoiceLines(adopted, 'cast')).toEqual([]);
  });
});
