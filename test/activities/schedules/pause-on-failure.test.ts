import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dependencies } from '../../../activities/dependencies.ts';
import { closeOccurrence } from '../../../activities/schedules/close-occurrence.ts';
import { openOccurrence } from '../../../activities/schedules/open-occurrence.ts';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import type { OccurrenceStart } from '../../../contract/activities.ts';
import { isPausedHere } from '../../../policy/schedules/legal-firing.ts';
import { noteInWords, pausedBy } from '../../../policy/schedules/missing-occurrence.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import type { WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';
import { settingsOf, specOf } from '../../support/schedule-on-record.ts';
import { createWorld, type World } from '../world.ts';

const DAY = 86_400_000;
/** At midnight, two days ago. */
const FIRST = Math.floor(Date.now() / DAY) * DAY - 2 * DAY;
const SECOND = FIRST + DAY;

let world: World;
let deps: Dependencies;
let now: number;
beforeEach(async () => {
  world = await createWorld();
  ({ deps } = await world.worker({ clock: { now: () => ({ wall: now, host: now, monotonic: performance.now() }) } }));
});

const manifest = (): string => join(world.folder, 'lines.csv');
const spoil = (): Promise<void> => writeFile(manifest(), 'id,text,voice\na,,narrator\n');
const right = (): Promise<void> => writeFile(manifest(), 'id,text,voice\na,One.,narrator\n');

async function make(written: WrittenSpec = {}, settledAt = 0): Promise<void> {
  const run = scheduledRunOf(chooseSettings({}, {}), {
    manifest: manifest(),
    outFolder: join(world.folder, 'out'),
    probe: false,
    confirmAbove: null,
  });
  const spec = specOf({ every: '1d', pauseOnFailure: true, ...written });
  const { apiUrl, account } = deps.realm;
  await deps.ledger.settleSchedule('nightly', settingsOf({ run, spec, apiUrl, account }), settledAt);
}

function fire(at: number): Promise<OccurrenceStart> {
  now = at + 5_000;
  return openOccurrence(deps, { schedule: 'nightly', at, waitedMs: 0 });
}

async function isPaused(): Promise<boolean> {
  const record = await deps.ledger.scheduleRecord('nightly');
  return record !== undefined && isPausedHere(record);
}

const stateOf = async (at: number): Promise<string | undefined> =>
  (await deps.ledger.findOccurrence({ schedule: 'nightly', at }))?.state;

/** Fires a schedule that pauses on failure; its batch ends, and its files cannot be written. */
async function failWithBatch(): Promise<{ readonly batch: string; readonly out: string }> {
  await make();
  await right();
  expect(await fire(FIRST)).toMatchObject({ type: 'opened' });
  const batch = formatOccurrence({ schedule: 'nightly', at: FIRST });
  await deps.ledger.setControl(batch, 'stopping');
  await deps.ledger.cancelRest(batch);
  await deps.ledger.closeBatch(batch);
  const out = join(world.folder, 'out', batch);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'results.csv'), 'of somebody else');
  expect(await closeOccurrence(deps, batch)).toMatchObject({ problem: expect.any(String) });
  expect(await stateOf(FIRST)).toBe('failed');
  return { batch, out };
}

describe('a schedule that pauses on failure', () => {
  // Temporal looks at a firing only when the next one is due, and forgets it after a day on an embedded server.
  it('is paused by the ledger, so that it also pauses where Temporal has forgotten the failure by then', async () => {
    await make();
    await spoil();
    expect(await fire(FIRST)).toMatchObject({ type: 'refused' });
    expect(await isPaused()).toBe(true);
    const note = (await deps.ledger.scheduleRecord('nightly'))?.note ?? '';
    expect(noteInWords(note)).toBe('an occurrence failed');
    expect(pausedBy(note)).toMatchObject({ cause: 'paused-on-failure' });
  });

  it('goes on when it is resumed, also if the failure is then reported again', async () => {
    const { batch } = await failWithBatch();
    expect(await isPaused()).toBe(true);
    await deps.ledger.resumeFirings('nightly', FIRST + 60_000, 'mended');
    await closeOccurrence(deps, batch);
    expect(await isPaused()).toBe(false);
  });

  // As a backfill does after `resume`. A firing that fails would pause the schedule: in Temporal, whoever fired it.
  it('does not fail again by a firing of a time that has failed with a batch; that writes the files, where it can now', async () => {
    const { out } = await failWithBatch();
    await deps.ledger.resumeFirings('nightly', FIRST + 60_000, 'go on');
    const reason = expect.stringContaining('had ended before this firing began');
    expect(await fire(FIRST)).toEqual({ type: 'skipped', reason });
    expect(await stateOf(FIRST)).toBe('failed');
    await rm(out, { recursive: true });
    expect(await fire(FIRST)).toEqual({ type: 'skipped', reason });
    expect(await stateOf(FIRST)).toBe('ended');
    expect(await readdir(out)).toContain('results.csv');
    expect(await isPaused()).toBe(false);
  });

  it.each<[string, WrittenSpec]>([
    ['does not pause on failure', { pauseOnFailure: false }],
    ['runs beside others', { overlap: 'allow' }],
  ])('stays open if it %s', async (_, written) => {
    await make(written);
    await spoil();
    expect(await fire(FIRST)).toMatchObject({ type: 'refused' });
    expect(await isPaused()).toBe(false);
  });

  it('leaves it to Temporal whether a trigger or a backfill that fails pauses it', async () => {
    await make();
    await spoil();
    const spec = specOf({ every: '1d', pauseOnFailure: true });
    await deps.ledger.allowFirings('nightly', {
      ...{ kind: 'backfill', from: FIRST, until: FIRST, spec, askedAt: SECOND },
    });
    expect(await fire(FIRST)).toMatchObject({ type: 'refused' });
    const at = SECOND + 3_000;
    await deps.ledger.allowFirings('nightly', { kind: 'trigger', from: at, until: at });
    expect(await fire(at)).toMatchObject({ type: 'refused' });
    expect(await isPaused()).toBe(false);
  });

  // Temporal keeps a backfill that is void here, and fires all of it; a firing that fails would pause the schedule.
  it('does not fail by a firing that was void before it began', async () => {
    await make({}, FIRST);
    await right();
    const backfilled = FIRST - DAY;
    const spec = specOf({ every: '1d' });
    await deps.ledger.allowFirings('nightly', {
      ...{ kind: 'backfill', from: backfilled, until: backfilled, spec, askedAt: FIRST },
    });
    await deps.ledger.pauseFirings('nightly', FIRST + 1, 'a pause voids it');
    await deps.ledger.resumeFirings('nightly', FIRST + 2, 'go on');
    now = FIRST + 5_000;
    expect(await openOccurrence(deps, { schedule: 'nightly', at: backfilled, waitedMs: 0 })).toMatchObject({
      type: 'skipped',
      reason: expect.stringContaining('The ledger does not allow this firing'),
    });
    expect(await deps.ledger.occurrencesOf('nightly')).toEqual([]);
  });
});
