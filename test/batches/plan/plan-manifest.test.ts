import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findOrLoadBatch, type LoadRequest } from '../../../batches/load-batch.ts';
import { planManifest, type ManifestPlan, type PlanRequest } from '../../../batches/plan/plan-manifest.ts';
import type { NewBatchPlan } from '../../../batches/plan/plan-new.ts';
import type { RemainingBill } from '../../../batches/plan/bill-remaining.ts';
import { stepKey } from '../../../batches/cache/result-keys.ts';
import type { AttemptKey } from '../../../contract/batch.ts';
import { stepsIn, type Step } from '../../../contract/row-kinds.ts';
import { openManifest } from '../../../inputs/manifest-source.ts';
import { summarizeManifest } from '../../../inputs/read-manifest.ts';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';
import type { Intent } from '../../../ledger/requests/intent-records.ts';
import type { RowRecord } from '../../../ledger/rows/row-records.ts';
import type { MediaIdentity } from '../../../policy/cache/result-key.ts';
import { settingsOf } from '../../activities/rows.ts';
import { OPTIONS } from '../../inputs/manifest-file.ts';
import { freshPlace } from '../../support/place.ts';
import { ANN } from '../../support/ann.ts';

const ACCOUNT = { apiUrl: 'https://api.example/api/open/v1', account: 'u1' };
const HEADER = 'id,kind,text,voice,video,duration\n';
/** Ten characters each: 5 credits. */
const LINES = `${HEADER}a,tts,Text of a.,anna,,\nb,tts,Text of b.,anna,,\nc,tts,Text of c.,ben,,\n`;
const FILM = 'https://media.example/film.mp4';
const DUB = `${HEADER}d,dub,Text of d.,anna,${FILM},4\n`;
const INTENT = { quoted: 5, quotedRest: 0, owner: 'w', maxSending: 8 };

const place = freshPlace();
const identities = new Map<string, MediaIdentity>([[FILM, { etag: '"1"', bytes: 9 }]]);
const identify: PlanRequest['identify'] = (urls) =>
  Promise.resolve(new Map([...identities].filter(([url]) => urls.includes(url))));

async function requestFor(content: string, change: Partial<PlanRequest> = {}): Promise<PlanRequest> {
  const path = join(place.folder, 'lines.csv');
  await writeFile(path, content);
  const source = await openManifest(path);
  const options = { ...OPTIONS, subset: change.checked?.options.subset ?? null };
  return {
    source,
    checked: { options, summary: await summarizeManifest(source, options) },
    name: 'next',
    settings: settingsOf({ cache: 'on' }),
    givesReading: false,
    givesTemplate: false,
    tuning: {},
    ledger: place.ledger,
    account: ACCOUNT,
    identify,
    ...change,
  };
}

async function plan(content: string, change: Partial<PlanRequest> = {}): Promise<ManifestPlan> {
  return planManifest(await requestFor(content, change));
}

async function planned(content: string, change: Partial<PlanRequest> = {}): Promise<NewBatchPlan> {
  const found = await plan(content, change);
  if (found.type === 'known') throw new Error('expected a new batch');
  return found;
}

/** Loads a manifest as a batch. */
async function load(content: string, name = 'last', more: Partial<LoadRequest> = {}): Promise<BatchRecord> {
  const request = await requestFor(content);
  const { options, summary } = request.checked;
  const identity = { ...ACCOUNT, name, digest: summary.digest ?? '' };
  const loaded = await findOrLoadBatch({
    ...request,
    ledger: place.ledger,
    options,
    identity,
    checked: summary,
    by: ANN,
    ...more,
  });
  if (loaded.type === 'taken') throw new Error('expected a batch');
  return loaded.batch;
}

const keyOf = (row: number, step: Step = 'speech', batch = 'last'): AttemptKey => ({
  ...{ batch, row, step, take: 1, attempt: 1 },
});

/** What a worker does with a request of 5 credits: the API makes a job of it. */
async function accept(key: AttemptKey, intent: Partial<Intent> = {}): Promise<void> {
  await place.ledger.intend(key, { ...INTENT, ...intent });
  const jobId = `${key.batch}-${key.row}-${key.step}`;
  await place.ledger.settle(key, { verdict: 'accepted', jobId }, { state: 'processing' });
}

/** Makes the results of a row, step by step, and ends it. */
async function make(batch: BatchRecord, { row, spec }: RowRecord): Promise<void> {
  const steps = stepsIn(spec);
  const made = new Map<Step, string>();
  for (const step of steps) {
    const key = keyOf(row, step, batch.name);
    const resultKey = stepKey(batch, spec, step, { media: identities, made }) ?? '';
    await accept(key, { resultKey });
    const file = await place.store.put(`${batch.name}/${row}-${step}-1.bin`, `${step} of ${row}`);
    made.set(step, file.sha256);
    const isLast = step === steps.at(-1);
    await place.ledger.finishJob(key, { file }, isLast ? { outcome: 'succeeded', file } : { state: 'waiting' });
  }
}

/** Runs a manifest as a batch to its end; rows of `failed` fail. */
async function run(content: string, name = 'last', failed: readonly string[] = []): Promise<BatchRecord> {
  const batch = await load(content, name);
  for await (const { row } of place.ledger.scanRows(name)) {
    if (!failed.includes(row.id)) {
      await make(batch, row);
      continue;
    }
    const failure = { class: 'BadRequest', message: 'no' } as const;
    await place.ledger.giveUp(keyOf(row.row, 'speech', name), { outcome: 'failed', failure });
  }
  await place.ledger.closeBatch(name);
  return batch;
}

describe('why rows of a manifest are paid for', () => {
  it('is that they are new, where there is nothing yet', async () => {
    const { reasons, summary } = await planned(LINES, { ledger: undefined });
    expect(reasons.new).toEqual({ rows: 3, quoted: 15, unpriced: 0, saved: 0 });
    expect(summary).toMatchObject({ quoted: 15, free: 0 });
  });

  it('is nothing for results that are there, whatever the order, columns and ids', async () => {
    await run(LINES);
    const again = 'voice,text,note,id\nben,Text of c.,x,other\nanna,Text of b.,y,b\nanna,Text of a.,z,a\n';
    const { reasons, summary } = await planned(again);
    expect(reasons.cached).toEqual({ rows: 3, quoted: 0, unpriced: 0, saved: 15 });
    expect(summary).toMatchObject({ quoted: 0, free: 3, cheapest: null, kinds: { tts: { rows: 3, requests: 0 } } });
  });

  it('is nothing for speech that was verified, however much may be wrong: what was heard is compared anew', async () => {
    const verified = (verify: string): string =>
      LINES.replace('duration', 'duration,verify').replaceAll(',,\n', `,,,${verify}\n`);
    await run(verified('true'));
    const { reasons, summary } = await planned(verified('0.1'));
    expect(reasons.cached).toMatchObject({ rows: 3, quoted: 0 });
    expect(summary).toMatchObject({ quoted: 0, free: 3 });
    const { reasons: fresh } = await planned(verified('0.1').replaceAll('anna', 'berta'));
    expect(fresh.changed.groups[0]?.reason.type === 'changed' && fresh.changed.groups[0].reason.changes).toEqual([
      { field: 'voice', from: 'anna', to: 'berta' },
    ]);
  });

  it('is the verification alone for speech that was not verified', async () => {
    await run(LINES);
    const verified = LINES.replace('duration', 'duration,verify').replaceAll(',,\n', ',,,true\n');
    const { reasons } = await planned(verified);
    expect(reasons.changed.groups[0]?.reason).toMatchObject({ changes: [{ field: 'verify', from: '', to: '0.25' }] });
    expect(reasons.changed).toMatchObject({ rows: 3, saved: 15 });
  });

  it('is the field that changed against the last row of that id, with both values, and its price', async () => {
    await run(LINES);
    await run(LINES.replaceAll('anna', 'berta'), 'later');
    const { reasons, summary } = await planned(LINES.replaceAll('anna', 'cleo').replace('Text of b.', 'Other text.'));
    expect(reasons.cached).toMatchObject({ rows: 1, saved: 5 });
    expect(reasons.changed).toMatchObject({ rows: 2, quoted: 11 });
    expect(reasons.changed.groups.map(({ reason, rows, quoted, ids }) => ({ reason, rows, quoted, ids }))).toEqual([
      {
        reason: { type: 'changed', batch: 'later', changes: [{ field: 'voice', from: 'berta', to: 'cleo' }] },
        rows: 1,
        quoted: 5,
        ids: ['a'],
      },
      {
        reason: {
          type: 'changed',
          batch: 'later',
          changes: [
            { field: 'text', from: 'Text of b.', to: 'Other text.' },
            { field: 'voice', from: 'berta', to: 'cleo' },
          ],
        },
        rows: 1,
        quoted: 6,
        ids: ['b'],
      },
    ]);
    expect(summary).toMatchObject({ quoted: 11, free: 1 });
    // What was there before the last change is there still.
    expect((await planned(LINES)).reasons.cached.rows).toBe(3);
  });

  it('is how it ended where the same was asked for', async () => {
    await run(LINES, 'last', ['b']);
    const { reasons } = await planned(LINES);
    expect(reasons.cached.rows).toBe(2);
    expect(reasons.again.groups).toEqual([
      expect.objectContaining({ reason: { type: 'again', batch: 'last', ended: 'failed' }, rows: 1, quoted: 5 }),
    ]);
  });

  it('is only the first of equal rows', async () => {
    const twice = `${LINES}d,tts,Text of a.,anna,,\n`;
    const { reasons, summary } = await planned(twice);
    expect(reasons).toMatchObject({ new: { rows: 3, quoted: 15 }, equal: { rows: 1, quoted: 0, saved: 5 } });
    expect(summary).toMatchObject({ quoted: 15, free: 1 });
  });

  it('is the last step of a chain whose speech is there, or nothing with both', async () => {
    await run(DUB);
    expect((await planned(DUB)).reasons.cached).toMatchObject({ rows: 1, saved: 9 });
    const { reasons, summary } = await planned(DUB.replace('film', 'new-film'));
    expect(reasons.changed).toMatchObject({ rows: 1, quoted: 4, saved: 5 });
    expect(reasons.changed.groups[0]?.reason).toMatchObject({
      changes: [{ field: 'video', from: FILM, to: 'https://media.example/new-film.mp4' }],
    });
    expect(summary.kinds.dub).toMatchObject({ rows: 1, requests: 1, quoted: 4, free: 0 });
  });

  it('is other content behind the same link', async () => {
    await run(DUB);
    const other: PlanRequest['identify'] = () => Promise.resolve(new Map([[FILM, { etag: '"2"', bytes: 9 }]]));
    const { reasons } = await planned(DUB, { identify: other });
    expect(reasons.changed.groups[0]?.reason).toMatchObject({
      changes: [{ field: 'content of video', from: 'as it was', to: 'as it is now' }],
    });
  });

  it('is not looked at for another account, and not known without one', async () => {
    await run(LINES);
    const another = await planned(LINES, { account: { ...ACCOUNT, account: 'u2' } });
    expect(another).toMatchObject({ isCompared: true, reasons: { new: { rows: 3 } } });
    expect(await planned(LINES, { account: undefined })).toMatchObject({ isCompared: false });
  });

  it('is that nothing is reused, or nothing paid, if a person says so', async () => {
    await run(LINES);
    for (const cache of ['fresh', 'off'] as const) {
      const { reasons, summary } = await planned(LINES, { settings: settingsOf({ cache }) });
      expect(summary).toMatchObject({ quoted: 15, free: 0 });
      expect(reasons.again).toMatchObject({ rows: 3, quoted: 15 });
    }
    const changed = LINES.replaceAll('anna', 'berta');
    const { reasons, summary } = await planned(changed, { settings: settingsOf({ cache: 'only' }) });
    expect(summary).toMatchObject({ quoted: 0, free: 3 });
    expect(reasons).toMatchObject({ cached: { rows: 1, saved: 5 }, changed: { rows: 2, quoted: 0, saved: 0 } });
  });

  it('covers the rows that are chosen', async () => {
    await run(LINES);
    const request = await requestFor(LINES.replaceAll('ben', 'berta'));
    const options = { ...request.checked.options, subset: { type: 'limit' as const, rows: 2 } };
    const checked = { options, summary: await summarizeManifest(request.source, options) };
    const found = await planManifest({ ...request, checked });
    expect(found).toMatchObject({ reasons: { cached: { rows: 2 }, changed: { rows: 0 } } });
  });
});

describe('a manifest whose batch is on record', () => {
  async function left(content: string, change: Partial<PlanRequest> = {}): Promise<RemainingBill> {
    const found = await plan(content, { name: 'last', ...change });
    if (found.type !== 'known') throw new Error(`expected a batch on record, but it is ${found.type}`);
    return found.left;
  }

  it('has nothing left to pay for once it is finished', async () => {
    await run(LINES);
    expect(await left(LINES)).toMatchObject({ rows: 0, underWay: 0, bill: { quoted: 0 } });
    expect(await left(LINES, { account: undefined })).toMatchObject({ rows: 0 });
  });

  it('is the same one with other bytes, but the very rows', async () => {
    await run(LINES);
    expect(await left(LINES.replaceAll('\n', '\r\n'))).toMatchObject({ rows: 0, bill: { quoted: 0 } });
  });

  it('has the rows left that were not sent, without what is there already and what runs', async () => {
    await run(LINES.replaceAll('c,', 'x,'), 'before');
    const content = `${LINES}e,tts,Text of e.,anna,,\nf,tts,Text of f.,anna,,\n`;
    const batch = await load(content);
    await accept(keyOf(4));
    expect(batch.rows).toBe(5);
    expect(await left(content)).toMatchObject({ rows: 4, underWay: 1, bill: { quoted: 5, free: 3 } });
  });

  it('has the later step left of a chain that has begun', async () => {
    await load(DUB);
    await accept(keyOf(1), { quotedRest: 4 });
    expect(await left(DUB)).toMatchObject({ rows: 1, underWay: 0, bill: { quoted: 4 } });
  });

  describe('with rows that its budget left out', () => {
    /** The first row is paid for, and charged so much; the others do not fit. */
    async function spend(charged: number): Promise<void> {
      await load(LINES);
      await place.ledger.tune('last', { budget: 9 });
      await accept(keyOf(1));
      await place.ledger.finishJob(keyOf(1), { credits: charged }, { outcome: 'succeeded' });
      for (const row of [2, 3]) expect((await place.ledger.intend(keyOf(row), INTENT)).type).toBe('over-budget');
      await place.ledger.closeBatch('last');
    }

    it('says how many stay left out, what they cost, and which budget sends them', async () => {
      await spend(5);
      const rest = { rows: 2, quoted: 10 };
      expect(await plan(LINES, { name: 'last' })).toMatchObject({
        left: { rows: 0, overBudget: rest, bill: { quoted: 0 } },
        enough: 15,
      });
      expect(await plan(LINES, { name: 'last', tuning: { budget: 15 } })).toMatchObject({
        left: { rows: 2, more: { rows: 2 }, overBudget: { rows: 0 }, bill: { quoted: 10 } },
        enough: 15,
      });
      expect(await left(LINES, { tuning: { budget: null } })).toMatchObject({ rows: 2, overBudget: { rows: 0 } });
    });

    it('counts them with what was charged for such rows before', async () => {
      await spend(10);
      const found = await plan(LINES, { name: 'last', tuning: { budget: 16 } });
      expect(found).toMatchObject({ left: { rows: 0, overBudget: { rows: 2, quoted: 10 } }, enough: 30 });
      expect(await left(LINES, { tuning: { budget: 30 } })).toMatchObject({ rows: 2, overBudget: { rows: 0 } });
    });
  });

  it('is another batch of the name if it differs, and the plan is for a new name', async () => {
    await run(LINES);
    const found = await plan(LINES.replaceAll('anna', 'berta'), { name: 'last' });
    expect(found).toMatchObject({
      type: 'taken',
      name: { differs: 'manifest', canRedrive: true },
      reasons: { cached: { rows: 1 }, changed: { rows: 2 } },
    });
  });
});
