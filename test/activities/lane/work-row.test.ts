/** @slow */
import { describe, expect, it } from '@jest/globals';
import { RowsBeforeWindow } from '../../../activities/lane/rows-before-window.ts';
import { FairShare } from '../../../activities/lane/lane-share.ts';
import { WakeUps } from '../../../activities/lane/wake-ups.ts';
import { loadBatch } from '../../../activities/cache/batch-cache.ts';
import type { LaneContext } from '../../../activities/lane/lane-context.ts';
import { workRow } from '../../../activities/lane/work-row.ts';
import { Window } from '../../../activities/pacing/in-flight-limits.ts';
import { BatchMonitor } from '../../../activities/lane/batch-monitor.ts';
import { LedgerUnreachable } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { StoreUnwritable } from '../../../store/errors.ts';
import { waitFor } from '../../support/wait-for.ts';
import { BATCH, keyOf, tts } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { begin, type World } from '../world.ts';

/** A lane of a worker, with room for so many rows. */
async function laneOf({ deps }: Worker, room = 10): Promise<LaneContext & { end(): void }> {
  const over = new AbortController();
  const { signal } = over;
  const wakeUps = new WakeUps();
  const window = new Window(room);
  const monitor = new BatchMonitor(deps, await loadBatch(deps, BATCH), { signal, wakeUps });
  const end = (): void => {
    over.abort();
    window.open();
    monitor.wakeParked();
    wakeUps.stop();
  };
  const owned = { batch: BATCH, lane: 1, token: 1 };
  const share = new FairShare(deps, owned);
  return { deps, batch: BATCH, signal, wakeUps, window, monitor, beforeWindow: new RowsBeforeWindow(), share, end };
}

/** Works on a row as it stands in the ledger. */
async function work(world: World, lane: LaneContext, row = 1): Promise<void> {
  const snapshot = await world.ledger.readRow(BATCH, row);
  if (snapshot === undefined) throw new Error(`there is no row ${row}`);
  return workRow(lane, snapshot);
}

/** A worker some of whose calls of the ledger fail. */
function faulty(world: World, calls: (ledger: Ledger) => Partial<Ledger>): Promise<Worker> {
  return world.worker({ ledger: (ledger) => ({ ...calls(ledger) }) });
}

const bug = (): Promise<never> => Promise.reject(new TypeError('nothing has no members'));

describe('a row in a lane', () => {
  it('is taken to its end, and leaves its place', async () => {
    const { world } = await begin([tts()]);
    const lane = await laneOf(await world.worker());
    await work(world, lane);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded' });
    expect(lane.window.inFlight).toBe(0);
    await work(world, lane);
    expect(await world.paidRequests()).toBe(1);
  });

  it('is taken to its end by what its claim and its records said, without reading it again', async () => {
    const { world } = await begin([tts()]);
    let rowsRead = 0;
    const worker = await faulty(world, (ledger) => ({
      readRow: (...row) => {
        rowsRead += 1;
        return ledger.readRow(...row);
      },
    }));
    await work(world, await laneOf(worker));
    expect(await world.row()).toMatchObject({ outcome: 'succeeded' });
    expect(rowsRead).toBe(0);
  });

  it('waits for a place where it is to be sent, and not where its job runs', async () => {
    const { world, worker } = await begin([tts('New.'), tts('Begun.')]);
    await worker.submit(keyOf(2));
    const lane = await laneOf(worker, 0);
    const waiting = work(world, lane, 1);
    await work(world, lane, 2);
    expect((await world.row(2)).outcome).toBe('succeeded');
    expect([lane.window.queued, await world.paidRequests()]).toEqual([1, 1]);
    lane.window.resize(1);
    await waiting;
    expect((await world.row()).outcome).toBe('succeeded');
  });

  it.each(['paused', 'stopping'] as const)('is not sent in a batch that is %s', async (control) => {
    const { world, worker } = await begin([tts()]);
    await worker.control(control);
    const lane = await laneOf(worker);
    const working = work(world, lane);
    if (control === 'paused') {
      await waitFor(() => lane.monitor.parked === 1);
      lane.end();
    }
    await working;
    expect([await world.paidRequests(), lane.window.inFlight]).toEqual([0, 0]);
    expect((await world.row()).outcome).toBeNull();
  });
});

describe('an error that nobody foresaw', () => {
  it('ends a row for which nothing was sent as failed, and leaves its place', async () => {
    const { world } = await begin([tts()]);
    const lane = await laneOf(await faulty(world, () => ({ intend: bug })));
    await work(world, lane);
    const { outcome, failure } = await world.row();
    expect([outcome, failure?.class]).toEqual(['failed', 'InternalError']);
    expect(failure?.message).toContain('nothing has no members. Its next request, for speech, was not sent.');
    expect(await world.attempts()).toEqual(['speech 1 revoked', 'speech 2 revoked', 'speech 3 revoked']);
    expect(lane.window.inFlight).toBe(0);
  });

  it('is no matter where the next attempt goes well', async () => {
    const { world } = await begin([tts()]);
    let left = 2;
    const calls = (ledger: Ledger): Partial<Ledger> => ({
      intend: (...args) => (left-- > 0 ? bug() : ledger.intend(...args)),
    });
    await work(world, await laneOf(await faulty(world, calls)));
    expect(await world.attempts()).toEqual(['speech 1 revoked', 'speech 2 revoked', 'speech 3 accepted']);
    expect((await world.row()).outcome).toBe('succeeded');
  });

  it('is no matter where the request is on record as accepted, however often nothing was sent before', async () => {
    const { world } = await begin([tts()]);
    let [intents, reports] = [2, 1];
    const worker = await world.worker({
      ledger: (ledger) => ({ intend: (...args) => (intents-- > 0 ? bug() : ledger.intend(...args)) }),
      atFaultPoint: (point) => (point === 'after-verdict' && reports-- > 0 ? bug() : undefined),
    });
    await work(world, await laneOf(worker));
    expect(await world.attempts()).toEqual(['speech 1 revoked', 'speech 2 revoked', 'speech 3 accepted']);
    expect((await world.row()).outcome).toBe('succeeded');
    expect([reports, await world.paidRequests()]).toEqual([0, 1]);
  });

  it('ends a row whose request is in doubt as unknown', async () => {
    const { world } = await begin([tts()]);
    let left = 1;
    const calls = (ledger: Ledger): Partial<Ledger> => ({
      settle: (...args) => (left-- > 0 ? bug() : ledger.settle(...args)),
      revoke: bug,
    });
    await work(world, await laneOf(await faulty(world, calls)));
    const { outcome, failure } = await world.row();
    expect([outcome, failure?.class]).toEqual(['unknown', 'OutcomeUnknown']);
    expect(failure?.message).toContain('It may have been charged');
    expect(await world.paidRequests()).toBe(1);
  });

  it('ends a row whose job was accepted as overdue', async () => {
    const { world } = await begin([tts()], { rules: [{ on: 'create', fault: 'job-fails' }] });
    const lane = await laneOf(await faulty(world, () => ({ finishJob: bug })));
    await work(world, lane);
    const { outcome, failure, charges } = await world.row();
    expect([outcome, failure?.class]).toEqual(['overdue', 'Overdue']);
    expect(charges).toMatchObject([{ state: 'accepted', jobId: world.charges()[0]?.jobId }]);
  });

  it('leaves the row alone where the lane was ended meanwhile', async () => {
    const { world } = await begin([tts()]);
    const lane = await laneOf(
      await faulty(world, () => ({
        intend: () => {
          lane.end();
          return bug();
        },
      })),
    );
    await work(world, lane);
    expect(await world.row()).toMatchObject({ outcome: null, charges: [] });
    expect(lane.window.inFlight).toBe(0);
  });

  const errors: Readonly<Record<string, Error>> = {
    ledger: new LedgerUnreachable('ledger.db', 'the disk is full', 'Free some space.'),
    store: new StoreUnwritable('x.part', new Error('ENOSPC: no space left on device')),
  };

  it.each(Object.keys(errors))('of a %s that cannot be reached is for the lane, and ends no row', async (what) => {
    const { world } = await begin([tts()]);
    const gone = (): Promise<never> => Promise.reject(errors[what] ?? new Error('no such error'));
    const lane = await laneOf(await faulty(world, () => ({ intend: gone, revoke: gone })));
    await expect(work(world, lane)).rejects.toBe(errors[what]);
    expect(await world.row()).toMatchObject({ outcome: null, charges: [] });
    expect(lane.window.inFlight).toBe(0);
  });
});
