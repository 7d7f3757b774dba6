import { beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { admitFiring } from '../../../batches/schedules/admit-firing.ts';
import { chooseSettings, type WantedBatch } from '../../../batches/batch-settings.ts';
import {
  openOccurrence,
  type OccurrenceRequest,
  type OpenedOccurrence,
} from '../../../batches/schedules/open-occurrence.ts';
import { stepKey } from '../../../batches/cache/result-keys.ts';
import { priceScheduled } from '../../../batches/schedules/price-scheduled.ts';
import { scheduledRunOf, type RunTerms } from '../../../batches/schedules/scheduled-choices.ts';
import type { FetchManifest } from '../../../inputs/manifest-place.ts';
import type { ScheduledRun } from '../../../inputs/schedules/scheduled-run.ts';
import { openFolderBytes } from '../../../store/folder-bytes.ts';
import { openMediaStore } from '../../../store/media-store.ts';
import type { Store } from '../../../store/store.ts';
import { saying } from '../../support/batch-end.ts';
import { freshPlace } from '../../support/place.ts';
import { settle, specOf } from '../../support/schedule-on-record.ts';

const AT = Date.UTC(2026, 11, 1, 2);
const NEXT_DAY = AT + 86_400_000;
const NAME = 'nightly.2026-12-01T02-00-00Z';
const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'u1', ledgerId: 'l1' };
const LINES = 'id,text,voice\na,One.,narrator\nb,Two.,narrator\n';

const place = freshPlace();
let folder: string;
beforeEach(async () => {
  folder = join(dirname(place.ledger.place), 'work');
  await mkdir(folder);
  await writeFile(join(folder, 'lines.csv'), LINES);
});

function runOf(wanted: WantedBatch = {}, more: Partial<RunTerms> = {}): ScheduledRun {
  const manifest = join(folder, 'lines.csv');
  return scheduledRunOf(chooseSettings(wanted, {}), {
    manifest,
    outFolder: join(folder, 'out'),
    probe: false,
    confirmAbove: null,
    ...more,
  });
}

/** What a server gives for each URL. */
const served = new Map<string, { readonly body: string; readonly etag: string | null }>();

const fetched: FetchManifest = async (url, receive) => {
  const file = served.get(url);
  if (file === undefined) return { type: 'failed', why: 'the server answered 404' };
  await receive(Readable.from([Buffer.from(file.body)]));
  return { type: 'fetched', etag: file.etag };
};

/** What a firing has that is not its schedule's run. */
interface Firing {
  readonly at?: number;
  /** Budget for each month, in Europe/Berlin. */
  readonly month?: number;
  /** How long it waited for a worker, ms. */
  readonly waitedMs?: number;
}

/** Fires a schedule that runs this now; as activities do. */
async function fire(
  run: unknown,
  balance: number | null = null,
  schedule = 'nightly',
  { at = AT, month, waitedMs = 0 }: Firing = {},
): Promise<OpenedOccurrence> {
  const { ledger } = place;
  const occurrence = { schedule, at };
  const budgetMonth = month === undefined ? undefined : String(month);
  await settle(ledger, schedule, { run, spec: specOf({ every: '1s', timezone: 'Europe/Berlin', budgetMonth }) });
  const admission = await admitFiring({ ledger, realm: REALM, occurrence, waitedMs, now: at + 1_000 });
  if (admission.type === 'missed') return { type: 'skipped', cause: 'missed', reason: admission.reason };
  if (admission.type === 'refused' || admission.type === 'unasked')
    return { type: 'refused', reason: admission.reason };
  await ledger.beginOccurrence(occurrence);
  if (admission.type === 'there') return { type: 'opened', batch: admission.batch, isNew: false };
  return openOccurrence({
    ...admission,
    ledger,
    store: storeOf(),
    realm: REALM,
    occurrence,
    readBalance: async () => balance,
    fetchManifest: fetched,
    identify: async () => new Map(),
    readVoices,
  });
}

const storeOf = (): Store => openMediaStore(openFolderBytes(join(folder, 'store')));

/** No voice is looked up here. */
const readVoices: OccurrenceRequest['readVoices'] = () => Promise.reject(new Error('voices were read'));

describe('openOccurrence', () => {
  it('is refused, and not tried for ever, where a fetched manifest cannot be kept', async () => {
    const full = async (): Promise<never> => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const identify: OccurrenceRequest['identify'] = async () => new Map();
    const reads = { identify, readVoices, readBalance: async () => null };
    const occurrence = { schedule: 'nightly', at: AT };
    const out = join(folder, 'out', NAME);
    const request = { ledger: place.ledger, store: storeOf(), realm: REALM, occurrence, month: null, out };
    const run = { ...runOf(), manifest: 'https://h.example/lines.csv?key=secret' };
    expect(await openOccurrence({ ...request, ...reads, run, fetchManifest: full })).toEqual({
      type: 'refused',
      reason:
        'Cannot read the manifest https://h.example/lines.csv: ENOSPC: no space left on device, write. Nothing was spent.',
    });
  });

  it('makes the manifest the batch of the occurrence, with its own out folder', async () => {
    const opened = await fire(runOf({ tuning: { budget: 50 } }));
    const out = join(folder, 'out', NAME);
    expect(opened).toMatchObject({ type: 'opened', batch: { name: NAME, state: 'open', rows: 2 } });
    expect(opened).toMatchObject({ batch: { settings: { budget: 50 } } });
    expect(existsSync(out)).toBe(true);
  });

  it('is one batch however often it fires, also if the manifest has changed or is gone', async () => {
    const first = await fire(runOf());
    await writeFile(join(folder, 'lines.csv'), 'id,text,voice\nc,Three.,narrator\n');
    expect(await fire(runOf())).toEqual({ ...first, isNew: false });
    expect(await fire(runOf({}, { manifest: join(folder, 'gone.csv') }))).toEqual({ ...first, isNew: false });
    expect(await place.ledger.listBatches()).toHaveLength(1);
  });

  it('is one batch if it fires twice at once', async () => {
    const [one, other] = await Promise.all([fire(runOf()), fire(runOf())]);
    expect(one).toMatchObject({ type: 'opened', batch: { name: NAME } });
    expect(other).toMatchObject({ type: 'opened', batch: { name: NAME } });
    expect(await place.ledger.listBatches()).toHaveLength(1);
  });

  it('has the hooks that its schedule has in the ledger', async () => {
    await settle(place.ledger, 'nightly');
    await place.ledger.setScheduleHooks('nightly', { notify: 'https://hooks.example/secret' });
    expect(await fire(runOf())).toMatchObject({
      batch: { settings: { onEnd: null, notify: 'https://hooks.example/secret' } },
    });
    expect(await fire(runOf(), null, 'other')).toMatchObject({ batch: { settings: { onEnd: null, notify: null } } });
  });

  it('of a bad manifest is refused with its line, and without what is in its cells', async () => {
    await writeFile(join(folder, 'lines.csv'), 'id,text,voice\na,A secret text.,\n');
    const refused = await fire(runOf());
    expect(refused).toMatchObject({ type: 'refused', reason: saying('in line 2') });
    expect(refused).toMatchObject({ reason: saying('Nothing was spent.') });
    expect(JSON.stringify(refused)).not.toContain('secret');
    expect(await place.ledger.listBatches()).toEqual([]);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  it('says no id in its reason either, which goes on record in Temporal', async () => {
    await writeFile(join(folder, 'lines.csv'), 'id,text,voice\nsecret:1,One.,narrator\nsecret:1,Two.,narrator\n');
    const refused = await fire(runOf());
    expect(refused).toMatchObject({ type: 'refused', reason: saying('in line 3') });
    expect(JSON.stringify(refused)).not.toContain('secret');
  });

  it.each<[string, () => ScheduledRun, number | null]>([
    [
      'cannot read the manifest .*there is no such file.* `voxbatch schedule trigger \\S+` makes up for this one. Nothing was spent.$',
      () => runOf({}, { manifest: join(folder, 'gone.csv') }),
      null,
    ],
    [
      'The budget of 0.1 credits does not cover even one row; the cheapest costs \\d',
      () => runOf({ tuning: { budget: 0.1 } }),
      null,
    ],
    ["The account's balance of 0 credits does not cover even one row; the cheapest costs \\d", () => runOf(), 0],
    [
      'the bill of [\\d.]+ credits is above the limit of 1 for a confirmation',
      () => runOf({}, { confirmAbove: 1 }),
      null,
    ],
  ])('is refused where %s', async (words, run, balance) => {
    expect(await fire(run(), balance)).toMatchObject({
      type: 'refused',
      reason: expect.stringMatching(new RegExp(words, 'i')),
    });
    expect(await place.ledger.listBatches()).toEqual([]);
  });

  it('of a pattern is one batch of all files that match then, and refused where none does', async () => {
    await writeFile(join(folder, 'more.csv'), 'id,text,voice\nc,Three.,narrator\n');
    const all = runOf({}, { manifest: join(folder, '*.csv') });
    expect(await priceScheduled(all, fetched)).toMatchObject({ type: 'sound', rows: 3 });
    expect(await fire(all)).toMatchObject({ type: 'opened', batch: { rows: 3, source: join(folder, '*.csv') } });
    const none = runOf({}, { manifest: join(folder, 'drop', '*.csv') });
    expect(await fire(none, null, 'other')).toMatchObject({ type: 'refused', reason: saying('No file matches') });
    await writeFile(join(folder, 'more.csv'), 'id,text,voice\nc,,narrator\n');
    expect(await fire(all, null, 'third')).toMatchObject({
      reason: saying(`the first is in ${join(folder, 'more.csv')}, line 2`),
    });
  });

  it('of a URL takes what lies there now, with its ETag, and shows no query', async () => {
    const url = 'https://example.org/drop/lines.jsonl?sig=secret';
    served.set(url, { body: '{"id":"a","text":"One.","voice":"narrator"}\n', etag: '"v1"' });
    const run = runOf({}, { manifest: url });
    expect(await fire(run)).toMatchObject({
      type: 'opened',
      etag: '"v1"',
      isNew: true,
      batch: { rows: 1, source: 'https://example.org/drop/lines.jsonl' },
    });
    expect(await priceScheduled(run, fetched)).toMatchObject({ type: 'sound', rows: 1 });
    served.set(url, { body: '{"id":"a","text":"","voice":"narrator"}\n', etag: null });
    const faulty = await fire(run, null, 'other');
    expect(faulty).toMatchObject({
      type: 'refused',
      reason: saying('https://example.org/drop/lines.jsonl has a problem'),
    });
    served.delete(url);
    const gone = await fire(run, null, 'third');
    expect(gone).toMatchObject({ type: 'refused', reason: saying('the server answered 404') });
    expect(JSON.stringify([faulty, gone])).not.toContain('secret');
  });

  it('that waited too long for a worker is skipped as missed, but for one that has its batch', async () => {
    const waitedMs = 3_700_000;
    expect(await fire(runOf(), null, 'nightly', { waitedMs })).toMatchObject({
      type: 'skipped',
      cause: 'missed',
      reason: saying('no worker took it within its catch-up time of 1h'),
    });
    expect(await place.ledger.listBatches()).toEqual([]);
    expect(await fire(runOf(), null, 'nightly')).toMatchObject({ type: 'opened' });
    expect(await fire(runOf(), null, 'nightly', { waitedMs })).toMatchObject({ type: 'opened' });
  });

  it('of another version is refused, and says what to do', async () => {
    expect(await fire({ manifest: 'lines.csv' })).toMatchObject({
      type: 'refused',
      reason: saying('voxbatch schedule update'),
    });
  });

  it('is refused under a name that leads out of the out folder', async () => {
    expect(await fire(runOf(), null, '../../elsewhere')).toMatchObject({ type: 'refused', reason: saying('name') });
    expect(existsSync(join(folder, '..', '..', `elsewhere${NAME.slice('nightly'.length)}`))).toBe(false);
    expect(await place.ledger.listBatches()).toEqual([]);
  });

  it('of what is no file is refused before it is read: a pipe or a device may never end', async () => {
    const run = runOf({}, { manifest: '/dev/zero' });
    expect(await fire(run)).toMatchObject({ type: 'refused', reason: saying('is a stream') });
    expect(await priceScheduled(run, fetched)).toMatchObject({ type: 'unsound', reason: saying('is a stream') });
  });

  it('is refused where the out folder has other files', async () => {
    await mkdir(join(folder, 'out', NAME), { recursive: true });
    await writeFile(join(folder, 'out', NAME, 'results.csv'), 'mine');
    expect(await fire(runOf())).toMatchObject({ type: 'refused', reason: saying('results.csv') });
  });
});

describe('a budget for the month', () => {
  const month = (credits: number): Firing => ({ month: credits });
  /** In the same month as AT. */
  it('is the budget of a batch, or what its own leaves of it', async () => {
    expect(await fire(runOf(), null, 'a', month(50))).toMatchObject({ batch: { settings: { budget: 50 } } });
    const own = runOf({ tuning: { budget: 30 } });
    expect(await fire(own, null, 'b', month(50))).toMatchObject({ batch: { settings: { budget: 30 } } });
    expect(await fire(own, null, 'b', { at: NEXT_DAY, ...month(50) })).toMatchObject({
      batch: { settings: { budget: 20 } },
    });
  });

  it('that is used up skips an occurrence with its figures, reads no balance, and makes no batch', async () => {
    await fire(runOf({ tuning: { budget: 50 } }), null, 'a', month(50));
    const skipped = await fire(runOf({}, { confirmAbove: 1 }), 0, 'a', { at: NEXT_DAY, ...month(50) });
    expect(skipped).toEqual({
      type: 'skipped',
      cause: 'month-budget',
      reason:
        'The budget of 50 credits for 2026-12 is used up: 0 spent or reserved, up to 50 more reserved by open batches.',
    });
    expect(await place.ledger.listBatches()).toHaveLength(1);
  });

  it('is not in the way of a batch that is there already', async () => {
    const first = await fire(runOf(), null, 'a', month(50));
    expect(await fire(runOf(), null, 'a', month(50))).toEqual({ ...first, isNew: false });
    expect(await fire(runOf(), null, 'a', month(1))).toEqual({ ...first, isNew: false });
  });

  it('is decided when the batch is made, whatever was seen before', async () => {
    const own = runOf({ tuning: { budget: 40 } });
    const both = await Promise.all([
      fire(own, null, 'a', month(40)),
      fire(own, null, 'a', { at: NEXT_DAY, ...month(40) }),
    ]);
    expect(both.map(({ type }) => type).sort()).toEqual(['opened', 'skipped']);
  });
});

describe('results that are there already', () => {
  /** Makes the results of all rows of a batch. */
  async function makeAll(name: string): Promise<void> {
    const batch = await place.batch(name);
    for await (const { row } of place.ledger.scanRows(name)) {
      const key = { batch: name, row: row.row, step: 'speech', take: 1, attempt: 1 } as const;
      const resultKey = stepKey(batch, row.spec, 'speech') ?? '';
      await place.ledger.intend(key, { quoted: 1, quotedRest: 0, owner: 'w', maxSending: 8, resultKey });
      await place.ledger.settle(key, { verdict: 'accepted', jobId: `j${row.row}` }, { state: 'processing' });
      const file = await place.store.put(`${name}/${row.row}.mp3`, 'sound');
      await place.ledger.finishJob(key, { file }, { outcome: 'succeeded', file });
    }
  }

  it('cost a firing nothing, and count in no limit', async () => {
    const first = await fire(runOf());
    if (first.type !== 'opened') throw new Error(first.reason);
    const run = runOf({}, { confirmAbove: 0.1 });
    expect(await fire(run, null, 'a', { at: NEXT_DAY })).toMatchObject({ type: 'refused' });
    await makeAll(first.batch.name);
    expect(await fire(run, null, 'a', { at: NEXT_DAY })).toMatchObject({ type: 'opened' });
    const looked = { ledger: place.ledger, account: REALM, identify: async () => new Map() };
    expect(await priceScheduled(run, fetched, looked)).toMatchObject({ rows: 2, free: 2, quoted: 0 });
  });
});
