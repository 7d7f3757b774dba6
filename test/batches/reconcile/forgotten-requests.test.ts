import { beforeEach, expect, it, jest } from '@jest/globals';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { byItself } from '../../../contract/actions.ts';
import { forgottenRequests, type ForgottenRequests } from '../../../batches/reconcile/forgotten-requests.ts';
import { writeOutFolder } from '../../../results/write-out-folder.ts';
import type { RowSnapshot } from '../../../ledger/rows/row-records.ts';
import { freshPlace } from '../../support/place.ts';
import { addBatch, finish, intend, keyOf } from '../../results/sample-batch.ts';

const place = freshPlace();
/** The rows before anything was sent, and when the folder was written. */
let before: readonly RowSnapshot[];
let now: readonly RowSnapshot[];
let parts: readonly RowSnapshot[];

async function readRows(): Promise<readonly RowSnapshot[]> {
  const read: RowSnapshot[] = [];
  for await (const one of place.ledger.scanRows('demo')) read.push(one);
  return read;
}

/** A state of the ledger with these rows. */
function ledgerWith(standing: readonly RowSnapshot[], more: object = {}): Parameters<typeof forgottenRequests>[2] {
  async function* scanRows(): AsyncGenerator<RowSnapshot, undefined> {
    yield* standing;
  }
  return {
    id: place.ledger.id,
    acceptedAt: () => Promise.resolve(null),
    readRow: (_, row) => Promise.resolve(standing.find((one) => one.row.row === row)),
    scanRows,
    partsOf: () => Promise.resolve(parts),
    releasedJobs: () => Promise.resolve([]),
    ...more,
  };
}

/** What the folder has and a ledger with these rows does not. */
function forgottenBy(standing: readonly RowSnapshot[], more: object = {}): Promise<ForgottenRequests | undefined> {
  return forgottenRequests(place.out, 'demo', ledgerWith(standing, more));
}

/** A person has accepted that the ledger is a copy. */
const accepted = { acceptedAt: () => Promise.resolve(1) };
/** The job that row 1 has in the folder. */
const job = { row: 1, id: 'a', jobId: 'job-1' };
const PART = { spec: { kind: 'tts', text: 'One.', voice: 'v', extra: {} }, quoted: 5 } as const;

/** The folder is written when of four rows one has its job, one was refused, one has its result, and one is in parts. */
beforeEach(async () => {
  const rows = ['a', 'b', 'c'].map((id) => ({ id, kind: 'tts', input: [id] }) as const);
  const inParts = { id: 'd', kind: 'tts', input: ['d'], parts: { first: 5, rows: [PART, PART] } } as const;
  await addBatch(place, ['id'], [...rows, inParts]);
  before = await readRows();
  parts = await place.ledger.partsOf('demo', 4);
  await intend(place, keyOf(1));
  await place.ledger.settle(keyOf(1), { verdict: 'accepted', jobId: 'job-1' }, { state: 'processing' });
  const failure = { class: 'BadRequest', message: 'no' } as const;
  await intend(place, keyOf(2));
  await place.ledger.settle(keyOf(2), { verdict: 'rejected', failure }, { outcome: 'failed', failure });
  await finish(place, keyOf(3), await place.store.put('demo/3-speech-1.mp3', 'sound of c'), 4);
  await finish(place, keyOf(6), await place.store.put('demo/6-speech-1.mp3', 'sound of a part'), 2);
  await writeOutFolder(place.request({ complete: false }));
  now = await readRows();
});

it('a ledger that is older than the out folder lacks requests that the folder has, also those without a result', async () => {
  const [jobs, others] = [
    [job],
    [
      { row: 3, id: 'c', jobId: 'job-3-speech' },
      { row: 4, id: 'd#2', jobId: 'job-6-speech' },
    ],
  ];
  const found = { rows: ['a', 'c', 'd'], credits: 16, jobless: [], folders: [place.out] };
  const named = [...jobs, ...others].map(({ jobId }) => ({ step: 'speech', jobId }));
  expect(await forgottenBy(before)).toEqual({ ...found, jobs: [...jobs, ...others], named });
  expect(await forgottenBy([...before.slice(0, 1), ...now.slice(1)], accepted)).toEqual({
    rows: ['a'],
    credits: 10,
    jobs,
    jobless: [],
    folders: [place.out],
    named: named.slice(0, 1),
  });
  expect(await forgottenBy(before, { id: 'of another ledger' })).toBeUndefined();
  expect(await forgottenRequests(place.out, 'other', ledgerWith(before))).toBeUndefined();
});

it('names the take that a job begins, for a row that the ledger has ended, and only jobs that can be given now', async () => {
  const [first, ...others] = before;
  const ended = (change: object): RowSnapshot[] => [
    { ...(first as RowSnapshot), row: { ...(first as RowSnapshot).row, ...change } },
    ...others,
  ];
  const jobs = async (change: object): Promise<unknown> => (await forgottenBy(ended(change)))?.jobs[0];
  const failure = { class: 'JobFailed', message: 'no' };
  expect(await jobs({ outcome: 'cancelled' })).toEqual(job);
  expect(await jobs({ outcome: 'failed', failure })).toEqual({ ...job, take: 2 });
  expect(await jobs({ outcome: 'succeeded', take: 2 })).toEqual({ ...job, take: 3 });
  expect(await jobs({ state: 'blocked' })).toMatchObject({ row: 3 });
  expect(await jobs({ outcome: 'failed', failure: { ...failure, class: 'NoVoice' } })).toMatchObject({ row: 3 });
});

it('a request is on record, too, if its job is that of another take', async () => {
  const [one, ...others] = now;
  const charges = (one?.charges ?? []).map((charge) => ({ ...charge, take: 2 }));
  expect(await forgottenBy([{ ...(one as RowSnapshot), charges }, ...others], accepted)).toBeUndefined();
});

it('a job of a request that the ledger has as unknown is named, but is no reason to refuse; one that a person took back is not named', async () => {
  const [one, ...others] = now;
  const [charge] = one?.charges ?? [];
  if (one === undefined || charge === undefined) throw new Error('no request');
  const unknown = { ...charge, state: 'unknown', jobId: null } as const;
  const row = { ...one.row, outcome: 'unknown' } as const;
  const found = {
    rows: [],
    credits: 0,
    jobless: [],
    folders: [place.out],
    named: [{ step: 'speech', jobId: 'job-1' }],
  };
  const standing = [{ ...one, row, charges: [unknown] }, ...others];
  expect(await forgottenBy(standing, accepted)).toEqual({ ...found, jobs: [job] });
  const again = await forgottenRequests(place.out, 'demo', ledgerWith(standing, accepted), true);
  expect(again).toEqual({ ...found, jobs: [job], rows: ['a'], credits: 10 });
  // The row is at a later take since.
  const later = [{ ...one, row: { ...row, take: 2 }, charges: [unknown] }, ...others];
  expect(await forgottenBy(later, accepted)).toEqual({ ...found, jobs: [{ ...job, take: 1 }] });
  const releasedJobs = (number: number) => () =>
    Promise.resolve([{ row: number, step: 'speech', take: 1, jobId: 'job-1' }] as const);
  expect(await forgottenBy(standing, { ...accepted, releasedJobs: releasedJobs(1) })).toBeUndefined();
  expect(await forgottenBy(standing, { ...accepted, releasedJobs: releasedJobs(2) })).toMatchObject({ jobs: [job] });
});

it('a request that may have been charged counts, one on the wire and one without an answer', async () => {
  for (const verdict of ['sending', 'unknown']) {
    const path = join(place.out, 'receipts.jsonl');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"accepted"', `"${verdict}"`));
    expect(await forgottenBy(before)).toMatchObject({ rows: ['a', 'c', 'd'] });
    await writeOutFolder(place.request({ complete: false }));
  }
});

it('receipts that cannot all be read are no proof that the ledger lacks nothing', async () => {
  const accepted = { acceptedAt: () => Promise.resolve(1) };
  const path = join(place.out, 'receipts.jsonl');
  const whole = await readFile(path, 'utf8');
  const nothing = { rows: [], credits: 0, jobs: [], jobless: [], named: [], folders: [place.out] };
  await writeFile(path, whole.replace('"row":1,', '"row":1,,'));
  const standing = [before[0] as RowSnapshot, ...now.slice(1)];
  expect(await forgottenBy(standing, accepted)).toEqual({
    ...nothing,
    unread: `${path}: expected a line of ours, found line 1, which is not JSON`,
  });
  // Sorted by hand.
  const [first = '', ...others] = whole.trim().split('\n');
  await writeFile(path, `${[...others, first].join('\n')}\n`);
  expect(await forgottenBy(standing, accepted)).toMatchObject({ rows: [], unread: expect.stringMatching(/row 1/) });
});

it('a folder whose summary was deleted is compared by its receipts, and these are kept when its files are written again', async () => {
  const accepted = { acceptedAt: () => Promise.resolve(1) };
  await rm(join(place.out, 'summary.json'));
  expect(await forgottenBy(now)).toBeUndefined();
  const found = { rows: ['a', 'c', 'd'], credits: 16 };
  expect(await forgottenBy(before, accepted)).toMatchObject({ ...found, folders: [place.out] });
  const ledger = { ...place.ledger, ...ledgerWith(before, accepted) };
  const { kept } = await writeOutFolder({ ...place.request({ complete: false }), ledger });
  const former = join(place.out, kept.former ?? '');
  expect(await forgottenBy(before, accepted)).toMatchObject({ ...found, folders: [former] });
});

it('the receipts are not read where the ledger has the newest request of the folder, unless a copy was accepted since', async () => {
  const scanRows = jest.fn(() => {
    throw new Error('read');
  });
  for (const ledger of [place.ledger, ledgerWith(now)])
    expect(await forgottenRequests(place.out, 'demo', { ...ledger, scanRows })).toBeUndefined();
  await expect(forgottenBy(now, { scanRows, ...accepted })).rejects.toThrow('read');
  // A summary of an earlier version does not say.
  const path = join(place.out, 'summary.json');
  const { newest_request: newest, ...older } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  expect(newest).toMatchObject({ row: 4, part: 2, step: 'speech', take: 1, attempt: 1 });
  await writeFile(path, JSON.stringify(older));
  await expect(forgottenBy(now, { scanRows })).rejects.toThrow('read');
  expect(await forgottenBy(now)).toBeUndefined();
});

it('a newest request that was made again is none of the folder', async () => {
  const again = before.map((one, index) => ({
    ...one,
    charges:
      index < 2 ? [] : (now[index]?.charges ?? []).map((charge) => ({ ...charge, intentAt: charge.intentAt + 1 })),
  }));
  expect(await forgottenBy(again)).toMatchObject({ rows: ['a'] });
});

it('a ledger lacks none whose request is on record, also as one in doubt under another number', async () => {
  const [charge] = now[0]?.charges ?? [];
  if (charge === undefined) throw new Error('no request');
  const rowsBy = async (change: object): Promise<readonly string[] | undefined> => {
    const first = { ...(now[0] as RowSnapshot), charges: [{ ...charge, ...change }] };
    return (await forgottenBy([first, ...now.slice(1)], accepted))?.rows;
  };
  expect(await rowsBy({})).toBeUndefined();
  expect(await rowsBy({ attempt: 2, state: 'unknown' })).toBeUndefined();
  expect(await rowsBy({ attempt: 1, state: 'not-accepted' })).toBeUndefined();
  expect(await rowsBy({ attempt: 2, state: 'revoked', jobId: null })).toEqual(['a']);
  expect(await rowsBy({ take: 2, jobId: 'another' })).toEqual(['a']);
});

it('the folder goes on to know of them when its files are written again from the older ledger, until a person moves those of before away', async () => {
  const older = { ...place.ledger, ...ledgerWith(before) };
  const project = async (more: object): Promise<string> => {
    const { kept } = await writeOutFolder({ ...place.request({ complete: false }), ledger: { ...older, ...more } });
    return join(place.out, kept.former ?? '');
  };
  const found = { rows: ['a', 'c', 'd'], credits: 16 };
  // Nobody has accepted it: a file system that was set back.
  const asItWas = await project({});
  expect(asItWas).toContain('before-copy-');
  expect(await forgottenBy(before)).toMatchObject({ ...found, folders: [asItWas] });
  await project(accepted);
  await project(accepted);
  expect(await forgottenBy(before, accepted)).toMatchObject({ ...found, folders: [asItWas] });
  expect(await forgottenBy(now, accepted)).toBeUndefined();
  await rename(asItWas, `${place.out}-moved`);
  expect(await forgottenBy(before, accepted)).toBeUndefined();
  await rm(`${place.out}-moved`, { recursive: true });
});

it('what became of its requests later is no reason: ended, and cleaned', async () => {
  const { ledger } = place;
  const cleaned = { ...ledger, ...accepted };
  const file = await place.store.put('demo/1-speech-1.mp3', 'sound of a');
  await ledger.finishJob(keyOf(1), { file }, { outcome: 'succeeded', file });
  for (const row of [5, 4]) await ledger.giveUp(keyOf(row), { outcome: 'cancelled' });
  await ledger.closeBatch('demo');
  expect(await ledger.beginClean('demo', { rows: true, media: true }, byItself(null))).toMatchObject({ type: 'begun' });
  expect(await ledger.cleanRows('demo', [1, 2, 3, 4])).toHaveLength(4);
  await ledger.endClean('demo');
  for (const standing of [ledger, cleaned])
    expect(await forgottenRequests(place.out, 'demo', standing)).toBeUndefined();
});
