import { describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../activities/index.ts';
import { FIRST_DOWNLOAD_LANE, type WorkerDuty } from '../../../contract/worker-duty.ts';
import type { LaneOffer } from '../../../contract/activities.ts';
import { startHeartbeats } from '../../../worker/heartbeats.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { waitFor } from '../../support/wait-for.ts';
import { BATCH, dub, keyOf, texts, tts } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, type Service, type World, type WorkerOptions } from '../world.ts';

const DOWNLOAD = { lane: FIRST_DOWNLOAD_LANE };

/** A worker that does a part of the work, and lives until the end of the test or until it is told to die. */
async function workerFor(world: World, only: WorkerDuty, options: WorkerOptions = {}) {
  const worker = await world.worker({ ...options, change: () => ({ only }) });
  const { realm, owner, ledger } = worker.deps;
  const beats = await startHeartbeats(ledger, { owner, apiUrl: realm.apiUrl, account: realm.account, only });
  endAfterTest(() => beats.stop());
  const die = async (): Promise<void> => {
    await beats.stop();
    await world.ledger.forgetWorkers({ owner });
  };
  return Object.assign(worker, { die });
}

/** A world with a worker that only submits, and cannot download, and one that only downloads, and cannot send. */
async function splitWorld(service: Service = {}) {
  const world = await createWorld(service);
  const [sent, downloaded] = [new Set<string>(), new Set<string>()];
  const never = (set: Set<string>, what: string) => (): never => {
    set.add(what);
    throw new Error(`This worker does not ${what}.`);
  };
  const submitter = await workerFor(world, 'submit', { api: () => ({ download: never(downloaded, 'download') }) });
  const downloader = await workerFor(world, 'download', { api: () => ({ send: never(sent, 'send') }) });
  return { world, submitter, downloader, wrong: () => [...sent, ...downloaded] };
}

/** Counts how often a worker that has not begun asks for rows. */
function countClaims({ deps }: Worker): () => number {
  let claims = 0;
  const { ledger } = deps;
  const claimRows: typeof ledger.claimRows = (request) => {
    claims += 1;
    return ledger.claimRows(request);
  };
  Object.assign(deps, { ledger: { ...ledger, claimRows } });
  return () => claims;
}

/** Has a worker work until it is stopped. */
function workUntil(worker: Worker): () => Promise<unknown> {
  const end = new AbortController();
  const working = worker.work(BATCH, end.signal);
  return () => {
    end.abort();
    return working;
  };
}

describe('workers that do a part of the work each', () => {
  it('bring rows of several steps to their end together: one pays, the other one fetches', async () => {
    const { world, submitter, downloader, wrong } = await splitWorld();
    await world.fill([tts(), dub(), tts('Another.')]);
    const lanes = [submitter.work(), downloader.work(BATCH, undefined, DOWNLOAD)];
    expect(await Promise.all(lanes)).toEqual([{ then: 'idle' }, { then: 'idle' }]);
    expect(await world.outcomes()).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(world.charges()).toHaveLength(4);
    const { charges } = await world.row(2);
    expect(charges.map(({ owner }) => owner)).toEqual([submitter.deps.owner, submitter.deps.owner]);
    expect(wrong()).toEqual([]);
  });

  it('keep to the window: results that nobody has fetched count as in flight', async () => {
    const { world, submitter, wrong } = await splitWorld();
    await world.fill(texts(40), { limits: { window: 6 } });
    const looks = countClaims(submitter);
    const stop = workUntil(submitter);
    await waitFor(async () => (await world.ledger.counts(BATCH)).states.fetching === 6);
    const before = looks();
    await waitFor(() => looks() > before + 5);
    expect([world.charges().length, (await world.ledger.counts(BATCH)).states.fetching]).toEqual([6, 6]);
    await stop();
    expect(wrong()).toEqual([]);
  });

  it('send nothing while none of them downloads', async () => {
    const { world, submitter, downloader } = await splitWorld();
    await downloader.die();
    await world.fill([tts()]);
    const looks = countClaims(submitter);
    const stop = workUntil(submitter);
    await waitFor(() => looks() > 5);
    expect([world.charges().length, (await world.row()).state]).toEqual([0, 'waiting']);
    await workerFor(world, 'download');
    await waitFor(() => world.charges().length === 1);
    await stop();
  });

  it('leave a row with the one that downloads until its result is there, however often that fails', async () => {
    const { world, submitter, downloader, wrong } = await splitWorld({
      rules: [{ on: 'download', fault: { kind: 'cut' }, times: 2 }],
    });
    await world.fill([tts()]);
    await Promise.all([submitter.work(), downloader.work(BATCH, undefined, DOWNLOAD)]);
    expect(await world.outcomes()).toEqual(['succeeded']);
    expect([world.charges().length, wrong()]).toEqual([1, []]);
  });

  it('refuse lanes of the other part, and a paid request where only downloads are made', async () => {
    const { world, submitter, downloader } = await splitWorld();
    await world.fill([tts()]);
    const offer = (lane: number): LaneOffer => ({ batch: BATCH, lane, lanes: 1, run: 'run' });
    for (const [{ deps }, lane] of [
      [submitter, FIRST_DOWNLOAD_LANE],
      [downloader, 1],
    ] as const) {
      const working = new MockActivityEnvironment().run(() => createActivities(deps).workLane(offer(lane)));
      await expect(working).rejects.toMatchObject({ type: 'BadArgument', nonRetryable: true });
    }
    await expect(downloader.submit(keyOf(1))).rejects.toThrow('only downloads');
    expect(await world.ledger.laneOwners(BATCH)).toEqual([]);
    expect(world.charges()).toEqual([]);
  });

  it('ask for a lane for each worker that only downloads, beside those that send', async () => {
    const { world, submitter, downloader } = await splitWorld();
    await world.fill(texts(120));
    const another = await workerFor(world, 'download');
    const survey = () => new MockActivityEnvironment().run(() => createActivities(submitter.deps).surveyBatch(BATCH));
    expect(await survey()).toMatchObject({ lanes: 1, downloadLanes: 2 });
    await Promise.all([downloader.die(), another.die()]);
    expect(await survey()).not.toHaveProperty('downloadLanes');
  });
});

it('a worker that does everything fetches what one that only submits has left', async () => {
  const { world, submitter, downloader } = await splitWorld();
  await world.fill([tts(), tts('Another.')]);
  const stop = workUntil(submitter);
  await waitFor(async () => (await world.ledger.counts(BATCH)).states.fetching === 2);
  await stop();
  await downloader.die();
  const all = await world.worker();
  await all.work();
  expect(await world.outcomes()).toEqual(['succeeded', 'succeeded']);
  expect(world.charges()).toHaveLength(2);
});
