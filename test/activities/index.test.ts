/** @slow */
import { describe, expect, it } from '@jest/globals';
import { asyncLocalStorage } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities/index.ts';
import type { Activities, BatchSurvey, LaneOffer, LaneReport } from '../../contract/activities.ts';
import type { WorkEvent } from '../../contract/work-events.ts';
import { LedgerMisuse, LedgerUnreachable } from '../../ledger/errors.ts';
import { runsPromiseHooks } from '../support/promise-hooks.ts';
import { waitFor } from '../support/wait-for.ts';
import { BATCH, tts } from './rows.ts';
import { createWorld, begin } from './world.ts';

const OFFER: LaneOffer = { batch: BATCH, lane: 1, lanes: 1, run: 'run' };

function survey(activities: Activities, batch = BATCH): Promise<BatchSurvey> {
  return new MockActivityEnvironment().run(() => activities.surveyBatch(batch));
}

describe('createActivities', () => {
  it('walks a batch from its first survey to its close', async () => {
    const { world } = await begin([tts(), tts('Another.')]);
    const { deps } = await world.worker();
    const activities = createActivities({ ...deps, searchable: ['VoxbatchUnknown'] });
    const figures = { state: 'running', rows: 2, done: 0, failed: 0, unknown: 0, credits: 0 };
    const searchable = ['VoxbatchUnknown'];
    expect(await survey(activities)).toEqual({ open: 2, control: 'running', lanes: 1, figures, searchable });
    const credits: unknown = expect.any(Number);
    const ended = { ...figures, state: 'ended', done: 2, credits };
    expect(await new MockActivityEnvironment().run(() => activities.workLane(OFFER))).toEqual({
      ...{ then: 'idle', figures: ended, searchable },
    });
    expect(await survey(activities)).toEqual({ open: 0, control: 'running', lanes: 0, figures: ended, searchable });
    expect(world.charges()).toHaveLength(2);
    expect(await world.batch()).toMatchObject({ state: 'closed' });
  });

  it('leaves a batch that the ledger does not have to other workers, and refuses it for good where none has it', async () => {
    const world = await createWorld();
    const { deps } = await world.worker();
    const events: WorkEvent[] = [];
    const activities = createActivities({ ...deps, observe: (event) => void events.push(event) });
    const offered = (attempt: number): Promise<BatchSurvey> =>
      new MockActivityEnvironment({ attempt }).run(() => activities.surveyBatch('nothing'));
    await expect(offered(1)).rejects.toMatchObject({ type: 'BatchMissing', nonRetryable: false, nextRetryDelay: 500 });
    expect(events).toEqual([{ type: 'note', what: 'batch-missing', batch: 'nothing' }]);
    await expect(offered(20)).rejects.toMatchObject({ type: 'BatchMissing', nonRetryable: true });
  });

  it('refuses for good what the ledger does not know, so that no workflow retries it for ever', async () => {
    const { world } = await begin([tts()]);
    const misuse = new LedgerMisuse('There is no such batch.');
    const { deps } = await world.worker({ ledger: () => ({ closeBatch: () => Promise.reject(misuse) }) });
    await expect(survey(createActivities(deps))).rejects.toMatchObject({
      type: 'LedgerMisuse',
      nonRetryable: true,
    });
  });

  it('beats while it surveys, so that another worker can take that over from one that stands still', async () => {
    const { world } = await begin([tts()]);
    const env = new MockActivityEnvironment();
    let beats = 0;
    env.on('heartbeat', () => (beats += 1));
    const { deps } = await world.worker({
      ledger: (ledger) => ({
        closeBatch: async (name) => {
          await waitFor(() => beats > 1);
          return ledger.closeBatch(name);
        },
      }),
    });
    expect(await env.run(() => createActivities(deps).surveyBatch(BATCH))).toMatchObject({ open: 1 });
  });

  it('beats while the rows of a large batch are ended that is stopped, so that its lanes are not taken by others', async () => {
    const { world } = await begin([tts()], { rules: [{ on: 'create', fault: 'job-stuck' }] });
    let end = (): void => undefined;
    const sweeping = new Promise<number>((resolve) => {
      end = () => {
        resolve(0);
      };
    });
    let sweeps = 0;
    const cancelRest = (): Promise<number> => {
      sweeps += 1;
      return sweeping;
    };
    const { deps } = await world.worker({ ledger: () => ({ cancelRest }) });
    const activities = createActivities(deps);
    const env = new MockActivityEnvironment();
    let beats = 0;
    env.on('heartbeat', () => (beats += 1));
    await world.ledger.setControl(BATCH, 'stopping');
    const lane = env.run(() => activities.workLane(OFFER));
    await waitFor(() => sweeps > 0);
    const surveyed = survey(activities);
    const before = beats;
    await waitFor(() => beats > before + 2);
    // The survey shares it.
    expect(sweeps).toBe(1);
    end();
    expect(await surveyed).toMatchObject({ open: 1, control: 'stopping' });
    env.cancel();
    await lane.catch(() => undefined);
  });

  it('beats while it works, and gives its rows up when the server takes the work away', async () => {
    const { world } = await begin([tts(), tts('Another.')], { rules: [{ on: 'create', fault: 'job-stuck' }] });
    const { deps } = await world.worker();
    let left = 0;
    const disableCallContext = (): void => {
      left += 1;
    };
    const activities = createActivities({ ...deps, disableCallContext });
    const env = new MockActivityEnvironment();
    let beats = 0;
    env.on('heartbeat', () => (beats += 1));
    const working = env.run<[], LaneReport, () => Promise<LaneReport>>(() => activities.workLane(OFFER));
    await waitFor(() => beats > 2 && world.charges().length === 2);
    expect(runsPromiseHooks(asyncLocalStorage)).toBe(false);
    expect(left).toBe(1);
    env.cancel();
    expect(await working).toMatchObject({ then: 'more' });
    expect(await world.ledger.laneOwners(BATCH)).toEqual([]);
    expect((await world.row()).state).toBe('processing');
  });

  it('tells a fault that no retry heals, and throws it all the same', async () => {
    const { world } = await begin([tts()]);
    const gone = new LedgerUnreachable('ledger.db', 'the disk is full', 'Free some space.');
    const worker = await world.worker({ ledger: () => ({ closeBatch: () => Promise.reject(gone) }) });
    await expect(survey(createActivities(worker.deps))).rejects.toBe(gone);
    expect(worker.faults).toEqual([gone]);
    await expect(survey(createActivities(worker.deps), 'nothing')).rejects.toThrow();
    expect(worker.faults).toHaveLength(1);
  });
});
