import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeOccurrence } from '../../../activities/schedules/close-occurrence.ts';
import type { Dependencies } from '../../../activities/dependencies.ts';
import { openOccurrence } from '../../../activities/schedules/open-occurrence.ts';
import { chooseSettings, type WantedBatch } from '../../../batches/batch-settings.ts';
import { cleanBatch } from '../../../batches/clean/clean-batch.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import type { OccurrenceStart } from '../../../contract/activities.ts';
import type { OccurrenceRecord } from '../../../ledger/schedules/occurrence-records.ts';
import { saying } from '../../support/batch-end.ts';
import { FFMPEG } from '../../support/ffmpeg.ts';
import { settle, specOf } from '../../support/schedule-on-record.ts';
import { createWorld, type World } from '../world.ts';
import { ANN } from '../../support/ann.ts';

const AT = Date.UTC(2026, 11, 1, 2);
const NAME = 'nightly.2026-12-01T02-00-00Z';

const outOf = (): string => join(world.folder, 'out', NAME);

let world: World;
let deps: Dependencies;
beforeEach(async () => {
  world = await createWorld();
  ({ deps } = await world.worker({ clock: CLOCK }));
});

/** A worker at a minute after the occurrence. */
const CLOCK = { now: () => ({ wall: AT + 60_000, host: AT + 60_000, monotonic: performance.now() }) };

async function fire(
  manifest = 'id,text,voice\na,One.,narrator\n',
  {
    at = AT,
    month,
    wanted = {},
    outFolder = join(world.folder, 'out'),
  }: {
    readonly at?: number;
    readonly month?: string;
    readonly wanted?: WantedBatch;
    readonly outFolder?: string;
  } = {},
): Promise<OccurrenceStart> {
  const path = join(world.folder, 'lines.csv');
  await writeFile(path, manifest);
  const place = { manifest: path, outFolder, probe: false, confirmAbove: null };
  const { apiUrl, account } = deps.realm;
  const run = scheduledRunOf(chooseSettings(wanted, {}), place);
  await settle(deps.ledger, 'nightly', { run, spec: specOf({ every: '1s', budgetMonth: month }), apiUrl, account });
  return openOccurrence(deps, { schedule: 'nightly', at, waitedMs: 0 });
}

/** Ends the batch of the occurrence without a paid request, then waits for that end. */
async function finish(): Promise<unknown> {
  await deps.ledger.setControl(NAME, 'stopping');
  await deps.ledger.cancelRest(NAME);
  await deps.ledger.closeBatch(NAME);
  return closeOccurrence(deps, NAME);
}

const onRecord = async (): Promise<OccurrenceRecord | undefined> => (await deps.ledger.occurrencesOf('nightly'))[0];

describe('a firing', () => {
  it('is on record from its beginning to its end', async () => {
    expect(await fire()).toMatchObject({ type: 'opened', batch: NAME });
    expect(await onRecord()).toMatchObject({ at: AT, state: 'running' });
    // Also while it is paused: it answers at once.
    await deps.ledger.setControl(NAME, 'paused');
    expect(await closeOccurrence(deps, NAME)).toEqual({
      type: 'open',
    });
    expect(await onRecord()).toMatchObject({ at: AT, state: 'running' });
    expect(await finish()).toEqual({ type: 'ended', exit: 'failures' });
    expect(await onRecord()).toMatchObject({ state: 'ended', exit: 'failures', reason: null });
  });

  it('says that its manifest is that of the batch before', async () => {
    await fire();
    expect(await onRecord()).toMatchObject({ isUnchanged: false });
    await fire(undefined, { at: AT + 1_000 });
    expect(await onRecord()).toMatchObject({ isUnchanged: true });
    // What is there already was not read again.
    await fire('id,text,voice\nb,Two.,narrator\n', { at: AT + 1_000 });
    expect(await onRecord()).toMatchObject({ isUnchanged: true });
  });

  it('that makes no batch is on record as failed, with its reason', async () => {
    expect(await fire('id,text,voice\na,,narrator\n')).toMatchObject({ type: 'refused', reason: saying('in line 2') });
    expect(await onRecord()).toMatchObject({ state: 'failed', exit: null, reason: saying('in line 2') });
  });

  it('for which the month has no credits is on record as skipped for that, with its figures', async () => {
    const month = '20';
    expect(await fire(undefined, { month })).toMatchObject({ type: 'opened' });
    const reason = saying('The budget of 20 credits for 2026-12 is used up');
    expect(await fire(undefined, { at: AT + 1_000, month })).toMatchObject({ type: 'skipped', reason });
    expect(await onRecord()).toEqual({
      at: AT + 1_000,
      state: 'skipped',
      exit: null,
      cause: 'month-budget',
      reason,
      endedAt: null,
      etag: null,
      isUnchanged: null,
      out: join(world.folder, 'out', 'nightly.2026-12-01T02-00-01Z'),
    });
  });

  it('whose files cannot be written is on record as failed, with the exit of its batch', async () => {
    await fire();
    await rm(outOf(), { recursive: true, force: true });
    await mkdir(outOf(), { recursive: true });
    await writeFile(join(outOf(), 'results.csv'), 'mine');
    expect(await finish()).toMatchObject({ exit: 'failures', problem: saying('cannot be written') });
    expect(await onRecord()).toMatchObject({ state: 'failed', exit: 'failures', reason: saying('cannot be written') });
  });

  /** Runs a batch whose sound is to be finished, on a worker that finds this ffmpeg. */
  async function runFinished(program: string | undefined, outFolder = join(world.folder, 'out')): Promise<unknown> {
    const { store, ledger } = deps;
    const found = Object.assign(Object.create(store) as typeof store, { ffmpeg: () => Promise.resolve(program) });
    const worker = await world.worker({ clock: CLOCK, change: () => ({ store: found }) });
    const wanted: WantedBatch = {
      join: { column: 'chapter', pause: 0.2 },
      finish: { sampleRate: 16_000, format: 'flac' },
    };
    await fire('id,text,voice,chapter\na,One.,narrator,x\nb,Two.,narrator,x\n', { wanted, outFolder });
    await worker.work(NAME);
    await ledger.closeBatch(NAME);
    return closeOccurrence(worker.deps, NAME);
  }

  it('leaves joined and finished files beside its results, as its schedule says', async () => {
    expect(await runFinished(FFMPEG)).toEqual({ type: 'ended', exit: 'complete' });
    const files = await readdir(join(outOf(), 'media', 'finished'), { recursive: true });
    expect(files.sort()).toEqual(['a.flac', 'b.flac', 'joined', join('joined', 'x.flac')]);
    expect(world.charges()).toHaveLength(2);
  });

  it('has failed where its worker finds no ffmpeg to finish files with: nobody looks into them at night', async () => {
    const reason = expect.stringMatching(
      // As a shell reads it, whatever the folder is called.
      /^3 finished copies.* free: voxbatch results \S+ --out '\/.*\/a client'\\''s \$\(out\)\/[^/]+'$/u,
    );
    expect(await runFinished(undefined, join(world.folder, "a client's $(out)"))).toEqual({
      type: 'ended',
      exit: 'complete',
      problem: reason,
    });
    expect(await onRecord()).toMatchObject({ state: 'failed', exit: 'complete', reason });
  });

  it('that finds its batch ended since it was on record as running, such as one that continues as new, waits for that end', async () => {
    await fire();
    await deps.ledger.setControl(NAME, 'stopping');
    await deps.ledger.cancelRest(NAME);
    await deps.ledger.closeBatch(NAME);
    expect(await fire()).toMatchObject({ type: 'opened', isClosed: true });
  });

  it('of a time that ended before writes the files again, to the folder that is on record', async () => {
    await fire();
    await finish();
    await rm(outOf(), { recursive: true });
    expect(await fire(undefined, { outFolder: join(world.folder, 'other') })).toMatchObject({ type: 'skipped' });
    expect(await readdir(outOf())).toContain('results.csv');
    expect(await onRecord()).toMatchObject({ state: 'ended', exit: 'failures', out: outOf() });
  });

  it('of a time whose batch was cleaned since leaves the files as they are', async () => {
    await fire();
    await finish();
    const results = join(world.folder, 'out', NAME, 'results.csv');
    const written = await readFile(results, 'utf8');
    expect(written).toContain('One.');
    const { ledger, store } = deps;
    const batch = await ledger.findBatch(NAME);
    if (batch === undefined) throw new Error('no batch');
    await cleanBatch({ ledger, store, batch, parts: { media: true, rows: true }, by: ANN });
    expect(await fire()).toMatchObject({ type: 'skipped', reason: saying('had ended before this firing began') });
    expect(await readFile(results, 'utf8')).toBe(written);
    expect(await onRecord()).toMatchObject({ state: 'ended', exit: 'failures' });
  });
});
