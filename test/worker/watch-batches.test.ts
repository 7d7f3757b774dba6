import { expect, it } from '@jest/globals';
import { byItself, bySchedule, type By } from '../../contract/actions.ts';
import type { WorkEvent } from '../../contract/work-events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { stopWatchingBatches, watchBatches } from '../../worker/watch-batches.ts';
import { BATCH, tts } from '../activities/rows.ts';
import { createWorld, type World } from '../activities/world.ts';
import { waitFor } from '../support/wait-for.ts';

const ANN: By = { actor: { type: 'person', name: 'ann@studio' }, command: 'c1', reason: 'night shift' };

interface Watch {
  readonly told: WorkEvent[];
  readonly end: () => Promise<void>;
}

/** Watches the batches of a world, as its worker does. */
async function watch(
  world: World,
  ledger: Ledger = world.ledger,
  hear: (event: WorkEvent) => void = () => undefined,
): Promise<Watch> {
  const told: WorkEvent[] = [];
  const realm = { apiUrl: world.simulator.url, account: 'u1', ledgerId: ledger.id };
  const observe = (event: WorkEvent): void => {
    hear(event);
    told.push(event);
  };
  const end = await watchBatches({ ledger, realm, observe });
  return { told, end };
}

/** A world whose batch has one row. */
async function worldOfOne(): Promise<World> {
  const world = await createWorld();
  await world.fill([tts('One.')]);
  return world;
}

const named = (told: readonly WorkEvent[]): readonly string[] =>
  told.map((event) => ('is' in event && 'batch' in event ? `${event.batch} ${event.is}` : event.type));

it('a worker tells who did what to the batches of its account, and how they ended', async () => {
  const world = await createWorld({
    rules: [{ on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 400 } }],
  });
  await world.fill([tts('One.'), tts('Two.')]);
  await world.fill([tts('Elsewhere.')], { name: 'other', apiUrl: 'http://other.example/api/open/v1' });
  const { told, end } = await watch(world);
  // Nothing was sent yet: a command that has just put it on record is told of its own start.
  expect(named(told)).toEqual([`${BATCH} start`]);

  const failure = {
    class: 'OutOfCredits',
    message: 'The account has no credits for: Rhubarb, said the heron.',
    status: 402,
    requestId: 'req_7',
  } as const;
  await world.ledger.setControl(BATCH, 'paused', undefined, ANN);
  await world.ledger.setControl('other', 'paused', undefined, ANN);
  await world.ledger.setControl(BATCH, 'running', undefined, ANN);
  await world.ledger.setControl(BATCH, 'paused', failure);
  await waitFor(() => told.length >= 4);
  expect(told.slice(1)).toMatchObject([
    { type: 'batch', batch: BATCH, is: 'pause', by: 'ann@studio', byType: 'person', reason: 'night shift' },
    { type: 'batch', batch: BATCH, is: 'resume' },
    { is: 'pause', byType: 'voxbatch', failure: 'OutOfCredits', status: 402, requestId: 'req_7' },
  ]);

  expect(JSON.stringify(told)).not.toContain('heron');

  await world.ledger.setControl(BATCH, 'running', undefined, ANN);
  await (await world.worker()).work();
  await world.ledger.closeBatch(BATCH);
  // What was done by the end is told before.
  await end();
  expect(named(told).slice(4)).toEqual([`${BATCH} resume`, `${BATCH} end`]);
  expect(told.at(-1)).toMatchObject({
    exit: 'failures',
    outcomes: { succeeded: 1, failed: 1 },
    uncertain: 0,
    workflowId: `voxbatch ${world.ledger.id} ${BATCH}`,
  });
  expect(new Set(told.flatMap((event) => (event.type === 'batch' ? (event.action ?? []) : []))).size).toBe(5);
});

it('one that begins later tells how it finds the batches, and nothing of what was done before', async () => {
  const world = await createWorld();
  await world.fill([tts('One.'), tts('Two.')]);
  const worker = await world.worker();
  await worker.submit({ batch: BATCH, row: 1, step: 'speech', take: 1, attempt: 1 });
  await world.ledger.setControl(BATCH, 'paused', undefined, ANN);
  await world.ledger.setControl(BATCH, 'stopping', undefined, bySchedule('nightly', 'its overlap policy'));
  const { told, end } = await watch(world);
  await end();
  expect(told).toMatchObject([{ type: 'batch', batch: BATCH, is: 'open', control: 'stopping', rows: 2 }]);
});

it('a ledger that does not answer loses no news', async () => {
  const world = await worldOfOne();
  let isAway = false;
  const ledger: Ledger = {
    ...world.ledger,
    actionsOf: (query) => (isAway ? Promise.reject(new Error('away')) : world.ledger.actionsOf(query)),
  };
  const { told, end } = await watch(world, ledger);
  isAway = true;
  await world.ledger.setControl(BATCH, 'paused', undefined, byItself('a test'));
  isAway = false;
  await end();
  expect(named(told)).toEqual([`${BATCH} start`, `${BATCH} pause`]);
});

it('a ledger that does not answer when a worker begins delays its news, and loses none', async () => {
  const world = await worldOfOne();
  let tries = 0;
  const away = (): Promise<never> => Promise.reject(new Error('away'));
  const ledger: Ledger = {
    ...world.ledger,
    listBatches: (...query) => ((tries += 1) <= 2 ? away() : world.ledger.listBatches(...query)),
  };
  const { told, end } = await watch(world, ledger);
  await world.ledger.setControl(BATCH, 'paused', undefined, ANN);
  await waitFor(() => told.length >= 2);
  await end();
  expect(named(told)).toEqual([`${BATCH} start`, `${BATCH} pause`]);
});

it('an action that cannot be told holds up none of the later ones for long', async () => {
  const world = await worldOfOne();
  const { told, end } = await watch(world, world.ledger, (event) => {
    if ('is' in event && event.is === 'pause') throw new Error('a fault of its listener');
  });
  await world.ledger.setControl(BATCH, 'paused', undefined, ANN);
  await world.ledger.setControl(BATCH, 'running', undefined, ANN);
  await waitFor(() => named(told).includes(`${BATCH} resume`));
  await end();
  expect(named(told)).toEqual([`${BATCH} start`, `${BATCH} resume`]);
});

it.each([0, 1])(
  'a ledger that never answers again does not hold up a worker that ends, from question %d on',
  async (asked) => {
    const world = await worldOfOne();
    let questions = 0;
    const ledger: Ledger = {
      ...world.ledger,
      actionsOf: (query) => ((questions += 1) > asked ? new Promise(() => undefined) : world.ledger.actionsOf(query)),
    };
    const realm = { apiUrl: world.simulator.url, account: 'u1', ledgerId: ledger.id };
    const news = watchBatches({ ledger, realm, observe: () => undefined });
    await waitFor(() => questions > asked);
    await stopWatchingBatches(news, 100);
  },
);
