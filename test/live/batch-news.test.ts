/** @slow */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Context } from '@temporalio/activity';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Activities, LaneReport } from '../../contract/activities.ts';
import { WAKE_UP_SIGNAL, SUPERVISE_BATCH, type SuperviseBatchInput } from '../../contract/batch-workflow.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { COMPILED_WORKFLOWS, replayHistoriesAt } from '../support/replay-histories.ts';
import { startTemporal } from '../support/start-temporal.ts';
import type { TemporalPlace } from '../support/temporal-place.ts';
import { connectTo } from '../support/temporal-server.ts';
import { waitFor } from '../support/wait-for.ts';

/** The workflows by themselves, on a real server, over a world of a few variables. */

const QUEUE = 'batch-news';

let place: TemporalPlace;
let native: NativeConnection;
let client: Client;

/** Runs the workflows with these activities while `work` lasts. */
async function withWorld(activities: Partial<Activities>, work: () => Promise<void>): Promise<void> {
  const worker = await Worker.create({
    connection: native,
    namespace: place.namespace,
    taskQueue: QUEUE,
    workflowBundle: COMPILED_WORKFLOWS,
    activities,
  });
  await worker.runUntil(work);
}

/** News of a batch, for whose sake its workflow is started if it does not run. */
async function sendNews(batch: string): Promise<void> {
  await client.workflow.signalWithStart(SUPERVISE_BATCH, {
    workflowId: batch,
    taskQueue: QUEUE,
    args: [{ batch }],
    signal: WAKE_UP_SIGNAL,
    workflowTaskTimeout: '3s',
  });
}

beforeAll(async () => {
  place = await startTemporal(freshFolder());
  native = await NativeConnection.connect({ address: place.address });
  endAfterTest(() => native.close());
  client = await connectTo(place);
});

/** A lane that has something to do until it is let go. */
function lane(): { readonly report: Promise<LaneReport>; end(report: LaneReport): void } {
  let end: (report: LaneReport) => void = () => undefined;
  const report = new Promise<LaneReport>((resolve) => (end = resolve));
  return { report, end };
}

type Event = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

const isTimer = (event: Event): boolean => event.timerFiredEventAttributes != null;
const isActivity = (event: Event): boolean => event.activityTaskScheduledEventAttributes != null;

async function eventsOf(workflowId: string, runId?: string): Promise<readonly Event[]> {
  return (await client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
}

/** What the workflow asks for once. The server asks again where an answer is late. */
function request(): string {
  const { activityId, workflowExecution } = Context.current().info;
  return `${workflowExecution?.runId ?? ''} ${activityId}`;
}

describe('news of a batch', () => {
  it('that rows were opened again is never missed, however close to the end it comes', async () => {
    const BATCHES = 6;
    const open = new Map<string, number>();
    const closed = new Map<string, number>();
    await withWorld(
      {
        surveyBatch: (batch) => {
          const rows = open.get(batch) ?? 0;
          if (rows === 0) closed.set(batch, (closed.get(batch) ?? 0) + 1);
          return Promise.resolve({ open: rows, control: 'running', lanes: rows });
        },
        workLane: ({ batch }) => {
          open.set(batch, 0);
          return Promise.resolve({ then: 'idle' });
        },
      },
      async () => {
        await Promise.all(
          Array.from({ length: BATCHES }, async (_, index) => {
            const batch = `missed-${String(index)}`;
            for (let redrive = 0; redrive < 5; redrive++) {
              const before = closed.get(batch) ?? 0;
              open.set(batch, 1);
              await sendNews(batch);
              // Around the moment at which the workflow has been told that nothing is open.
              await waitFor(() => (closed.get(batch) ?? 0) > before);
              await sleep(index * 4);
            }
            await waitFor(() => open.get(batch) === 0);
            await client.workflow.getHandle(batch).result();
          }),
        );
        expect([...open.values()]).toEqual(Array.from({ length: BATCHES }, () => 0));
      },
    );
  });

  it('that a worker has joined brings one more lane, beside the one that works', async () => {
    let useful = 1;
    let open = 100;
    const working = new Map<number, ReturnType<typeof lane>>();
    await withWorld(
      {
        surveyBatch: () => Promise.resolve({ open, control: 'running', lanes: useful }),
        workLane: (offer) => {
          // It does not beat, so where the machine is slow it is offered again: it is the same lane all the same.
          const mine = working.get(offer.lane) ?? lane();
          working.set(offer.lane, mine);
          return mine.report;
        },
      },
      async () => {
        await sendNews('joined');
        await waitFor(() => working.size === 1);
        useful = 2;
        await sendNews('joined');
        await waitFor(() => working.size === 2);
        open = 0;
        for (const one of working.values()) one.end({ then: 'idle' });
        await client.workflow.getHandle('joined').result();
        expect([...working.keys()]).toEqual([1, 2]);
      },
    );
  });

  it('offers a lane whose time is over again at once, and none for a batch that is paused with nothing under way', async () => {
    let paused = false;
    let open = 1;
    const slices = new Set<string>();
    let looks = 0;
    await withWorld(
      {
        surveyBatch: () => {
          if (paused) looks += 1;
          return Promise.resolve({ open, control: paused ? 'paused' : 'running', lanes: paused ? 0 : 1 });
        },
        workLane: () => {
          slices.add(request());
          if (slices.size < 3) return Promise.resolve({ then: 'more' });
          paused = slices.size === 3;
          if (!paused) open = 0;
          return Promise.resolve({ then: 'idle' });
        },
      },
      async () => {
        await sendNews('paused');
        // From then on only news, or a timer, makes it look again.
        await waitFor(() => looks > 0);
        const before = slices.size;
        paused = false;
        await sendNews('paused');
        await client.workflow.getHandle('paused').result();
        expect([before, slices.size]).toEqual([3, 4]);
      },
    );
  });

  it('that nobody brought is found all the same, by a look now and then', async () => {
    const surveys = new Set<string>();
    await withWorld(
      {
        surveyBatch: () => {
          surveys.add(request());
          return Promise.resolve({ open: surveys.size === 1 ? 1 : 0, control: 'paused', lanes: 0 });
        },
      },
      async () => {
        await client.workflow.start(SUPERVISE_BATCH, {
          workflowId: 'unbrought',
          taskQueue: QUEUE,
          args: [{ batch: 'unbrought' }],
          workflowTaskTimeout: '3s',
        });
        await client.workflow.getHandle('unbrought').result();
        expect(surveys.size).toBe(2);
        expect((await eventsOf('unbrought')).filter(isTimer)).toHaveLength(1);
      },
    );
  });

  it('does not spin where lanes bring nothing on', async () => {
    let isOver = false;
    await withWorld(
      {
        surveyBatch: () => Promise.resolve({ open: isOver ? 0 : 1, control: 'running', lanes: isOver ? 0 : 1 }),
        workLane: () => Promise.resolve({ then: 'idle' }),
      },
      async () => {
        await sendNews('stuck');
        let events: readonly Event[] = [];
        await waitFor(async () => (events = await eventsOf('stuck')).filter(isTimer).length >= 2);
        const second = events.indexOf(events.filter(isTimer)[1] as Event);
        // Two rounds at once, and one after the first pause, with a survey each.
        expect(events.slice(0, second).filter(isActivity).length).toBeLessThanOrEqual(8);
        isOver = true;
        await sendNews('stuck');
        await client.workflow.getHandle('stuck').result();
      },
    );
  });

  it('leaves the history of a paused batch short, however often it comes: a survey each, and a new run in time', async () => {
    const NEWS = 120;
    const CONTINUE_AFTER = 40;
    /** Events of one round, and of the signals that may come in it. */
    const SLACK = 30;
    const surveys = new Set<string>();
    let open = 1;
    await withWorld(
      {
        surveyBatch: () => {
          surveys.add(request());
          return Promise.resolve({ open, control: 'paused', lanes: 0 });
        },
      },
      async () => {
        const workflowId = 'from-cron';
        const input: SuperviseBatchInput = { batch: workflowId, continueAfterEvents: CONTINUE_AFTER };
        const started = { workflowId, taskQueue: QUEUE, args: [input], workflowTaskTimeout: '3s' } as const;
        const handle = await client.workflow.start(SUPERVISE_BATCH, started);
        for (let news = 0; news < NEWS; news++) {
          const before = surveys.size;
          await handle.signal(WAKE_UP_SIGNAL);
          await waitFor(() => surveys.size > before);
        }
        open = 0;
        await handle.signal(WAKE_UP_SIGNAL);
        await handle.result();
        const runs = await runsOf(handle.workflowId, handle.firstExecutionRunId);
        expect(runs.length).toBeGreaterThan(NEWS / CONTINUE_AFTER);
        expect(Math.max(...runs.map((events) => events.length))).toBeLessThan(CONTINUE_AFTER + SLACK);
        // Each run surveys once by itself, and once more where no news comes for long.
        const timers = runs.flat().filter(isTimer).length;
        expect(surveys.size).toBeLessThanOrEqual(NEWS + 2 + runs.length + timers);
      },
    );
    expect(await replayHistoriesAt(place)).toBeGreaterThan(0);
  });
});

/** Events of each run of a workflow that continued as new. */
async function runsOf(workflowId: string, firstRunId: string): Promise<(readonly Event[])[]> {
  const runs: (readonly Event[])[] = [];
  for (let runId: string | null | undefined = firstRunId; typeof runId === 'string' && runId !== '';) {
    const events = await eventsOf(workflowId, runId);
    runs.push(events);
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return runs;
}
