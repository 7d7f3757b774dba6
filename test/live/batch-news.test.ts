import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Activities } from '../../contract/activities.ts';
import type { RowTask } from '../../contract/batch.ts';
import { laneWorkflowId } from '../../contract/names.ts';
import { CONTROL_NEWS, CONTROL_UPDATE, RUN_BATCH } from '../../contract/messages.ts';
import { workflowBundle } from '../support/replay-histories.ts';
import { TemporalServer } from '../support/temporal-server.ts';
import { waitFor } from '../support/wait-for.ts';

/** The workflows by themselves, on a real server, over a world of a few variables. */

const QUEUE = 'batch-news';

let folder: string;
let server: TemporalServer;
let connection: Connection;
let native: NativeConnection;
let client: Client;

/** Runs the workflows with these activities while `work` lasts. */
async function withWorld(activities: Partial<Activities>, work: () => Promise<void>): Promise<void> {
  const worker = await Worker.create({
    connection: native,
    taskQueue: QUEUE,
    workflowBundle: await workflowBundle(),
    activities,
  });
  await worker.runUntil(work);
}

/** News of a batch, for whose sake its workflow is started if it does not run. */
async function sendNews(batch: string): Promise<void> {
  await client.workflow.signalWithStart(RUN_BATCH, {
    workflowId: batch,
    taskQueue: QUEUE,
    args: [{ batch, lanes: 1 }],
    signal: CONTROL_NEWS,
    workflowTaskTimeout: '3s',
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-news-'));
  server = await TemporalServer.start(folder);
  connection = await Connection.connect({ address: server.address });
  native = await NativeConnection.connect({ address: server.address });
  client = new Client({ connection });
});

afterAll(async () => {
  await native.close();
  await connection.close();
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

describe('news of a batch', () => {
  it('that rows were opened again is never missed, however close to the end it comes', async () => {
    const BATCHES = 6;
    const open = new Map<string, number>();
    const closed = new Map<string, number>();
    const limits = { submits: 8, window: 100 };
    const ended: RowTask = { row: 1, kind: 'tts', next: { do: 'ended' } };
    await withWorld(
      {
        openBatch: () => Promise.resolve({ rows: 1, control: 'running', ...limits }),
        applyControl: () => Promise.resolve({ control: 'running', ...limits }),
        claimRows: ({ batch }) => {
          const rows = (open.get(batch) ?? 0) > 0 ? [ended] : [];
          open.set(batch, 0);
          return Promise.resolve({ rows, control: 'running', exhausted: true });
        },
        closeBatch: (batch) => {
          closed.set(batch, (closed.get(batch) ?? 0) + 1);
          return Promise.resolve({ open: open.get(batch) ?? 0, control: 'running' });
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

  it('that comes while a lane claims, and is newer than what it is told, lets it claim once more', async () => {
    const limits = { submits: 8, window: 40 };
    const wait: RowTask = {
      ...{ row: 1, kind: 'tts' },
      next: { do: 'wait', at: { row: 1, step: 'speech', take: 1, attempt: 1 } },
    };
    let claims = 0;
    let answer: () => void = () => undefined;
    const news = new Promise<void>((resolve) => (answer = resolve));
    let applied = 0;
    await withWorld(
      {
        openBatch: () => Promise.resolve({ rows: 1, control: 'running', ...limits }),
        applyControl: () => {
          applied += 1;
          return Promise.resolve({ control: 'running', ...limits });
        },
        claimRows: async () => {
          claims += 1;
          if (claims === 2) await news;
          return { rows: claims === 1 ? [wait] : [], control: 'running', exhausted: claims > 1 };
        },
        // The lane has a row that runs on, so that no end of it makes the batch start another.
        awaitAndFetch: async ({ rows }) => {
          await sleep(50);
          return { settled: claims > 2 ? rows.map(({ row }) => ({ row, next: { do: 'ended' } as const })) : [] };
        },
        closeBatch: () => Promise.resolve({ open: 0, control: 'running' }),
      },
      async () => {
        await sendNews('early');
        await waitFor(() => claims === 2);
        const handle = client.workflow.getHandle('early');
        const before = applied;
        expect(await handle.executeUpdate(CONTROL_UPDATE)).toBe('running');
        expect(applied).toBeGreaterThan(before);
        const lane = client.workflow.getHandle(laneWorkflowId('early', 1));
        await waitFor(async () => {
          const { events } = await lane.fetchHistory();
          return (events ?? []).some((event) => event.workflowExecutionSignaledEventAttributes != null);
        });
        answer();
        await waitFor(() => claims > 2);
        await handle.result();
      },
    );
  });

  it('that nobody brought is found by a lane that only waits for it', async () => {
    const limits = { submits: 8, window: 40 };
    const submit: RowTask = {
      ...{ row: 1, kind: 'tts' },
      next: { do: 'submit', at: { row: 1, step: 'speech', take: 1, attempt: 1 } },
    };
    let claims = 0;
    let submits = 0;
    await withWorld(
      {
        openBatch: () => Promise.resolve({ rows: 1, control: 'paused', ...limits }),
        applyControl: () => Promise.resolve({ control: 'paused', ...limits }),
        // From the second claim on the ledger says that the batch may run.
        claimRows: () => {
          claims += 1;
          const control = claims === 1 ? 'paused' : 'running';
          return Promise.resolve({ rows: claims === 1 ? [submit] : [], control, exhausted: true });
        },
        submit: () => {
          submits += 1;
          return Promise.resolve({ verdict: 'done', next: { do: 'ended' } });
        },
        closeBatch: () => Promise.resolve({ open: 0, control: 'running' }),
      },
      async () => {
        await client.workflow.start(RUN_BATCH, {
          workflowId: 'unbrought',
          taskQueue: QUEUE,
          args: [{ batch: 'unbrought', lanes: 1 }],
          workflowTaskTimeout: '3s',
        });
        await client.workflow.getHandle('unbrought').result();
        expect({ claims, submits }).toEqual({ claims: 2, submits: 1 });
        const { events } = await client.workflow.getHandle(laneWorkflowId('unbrought', 1)).fetchHistory();
        expect((events ?? []).filter((event) => event.timerFiredEventAttributes != null)).toHaveLength(1);
      },
    );
  });

  it('brings the lanes their new share, and lets one that had found nothing more claim again', async () => {
    let limits = { submits: 1, window: 1 };
    let free = [1];
    let isOver = false;
    const asked: number[] = [];
    const at = (row: number): RowTask => ({
      row,
      kind: 'tts',
      next: { do: 'wait', at: { row, step: 'speech', take: 1, attempt: 1 } },
    });
    await withWorld(
      {
        openBatch: () => Promise.resolve({ rows: 1, control: 'running', ...limits }),
        applyControl: () => Promise.resolve({ control: 'running', ...limits }),
        claimRows: ({ limit }) => {
          asked.push(limit);
          const rows = free.splice(0, limit).map(at);
          return Promise.resolve({ rows, control: 'running', exhausted: free.length === 0 });
        },
        awaitAndFetch: async ({ rows }) => {
          await sleep(50);
          const settled = isOver ? rows.map(({ row }) => ({ row, next: { do: 'ended' } as const })) : [];
          return { settled };
        },
        closeBatch: () => Promise.resolve({ open: 0, control: 'running' }),
      },
      async () => {
        await sendNews('share');
        await waitFor(() => asked.length > 0);
        expect(asked).toEqual([1]);
        limits = { submits: 8, window: 40 };
        free = [2, 3, 4];
        const handle = client.workflow.getHandle('share');
        expect(await handle.executeUpdate(CONTROL_UPDATE)).toBe('running');
        await waitFor(() => free.length === 0);
        expect(Math.max(...asked)).toBeGreaterThan(1);
        isOver = true;
        await handle.result();
      },
    );
  });
});
