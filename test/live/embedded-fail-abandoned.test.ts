import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import { failAbandoned } from '../../embedded/fail-abandoned.ts';
import { joinServer, type Membership } from '../../embedded/join-server.ts';
import { compiledOf } from '../compiled.mjs';
import { spawnTypescript } from '../support/run-typescript.ts';
import { waitFor } from '../support/wait-for.ts';

const TASK_QUEUE = 'hanging';
/** `TIMEOUT_TYPE_SCHEDULE_TO_START` of Temporal's API. */
const SCHEDULE_TO_START: unknown = 2;
let folder: string;
let member: Membership;
let connection: Connection;
let client: Client;
let child: ChildProcess | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voxbatch-abandoned-'));
  member = await joinServer({ home: folder, env, say: () => undefined });
  connection = await Connection.connect({ address: member.address });
  client = new Client({ connection });
});

afterEach(async () => {
  child?.kill('SIGKILL');
  await connection.close();
  await member.leave();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a worker elsewhere, and kills it once both activities of the workflow hang in it. */
async function abandonWorkflow(workflowId: string): Promise<void> {
  child = spawnTypescript('test/support/hanging-worker.ts', [member.address, TASK_QUEUE, 'the dead one']);
  const { stdout } = child;
  if (stdout === null) throw new Error('the child has no stdout');
  await client.workflow.start('hangingWorkflow', { workflowId, taskQueue: TASK_QUEUE, workflowTaskTimeout: '3 s' });
  let hanging = 0;
  for await (const line of createInterface(stdout)) {
    if (line === 'hangs') hanging += 1;
    if (hanging === 2) break;
  }
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function finish(workflowId: string): Promise<unknown> {
  const native = await NativeConnection.connect({ address: member.address });
  const worker = await Worker.create({
    connection: native,
    taskQueue: TASK_QUEUE,
    identity: 'the living one',
    workflowsPath: compiledOf('test/support/hanging-workflow.ts'),
    activities: { hang: async () => Context.current().info.attempt },
  });
  try {
    return await worker.runUntil(client.workflow.getHandle(workflowId).result());
  } finally {
    await native.close();
  }
}

describe('failAbandoned', () => {
  it('ends what a killed worker had begun, long before its time-outs, and lets the rest be retried at once', async () => {
    const workflowId = 'voxbatch "quoted" batch';
    await abandonWorkflow(workflowId);
    await client.workflow.start('hangingWorkflow', { workflowId: 'another', taskQueue: 'nobody' });
    // The list lags a little behind.
    await waitFor(async () => (await client.workflow.count('ExecutionStatus = "Running"')).count === 2);

    const options = { workflowIdPrefix: 'voxbatch "quoted" ', workflowIds: ['voxbatch "quoted" gone'] };
    expect(await failAbandoned(client, { ...options, isMine: (identity) => identity === 'the dead one' })).toBe(0);
    expect(await failAbandoned(client, { ...options, isMine: () => false })).toBe(2);
    expect(await failAbandoned(client, { ...options, isMine: () => false })).toBe(0);

    // Both time-outs are an hour, and so is the first retry: it ends within this test only if they are not waited for.
    expect(await finish(workflowId)).toEqual({ once: 'WorkerLost', again: 2 });
    // Nor is the dead worker's sticky queue waited for: it would keep a task for a second, the living one's for ten.
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const timeouts = events?.map((event) => event.workflowTaskTimedOutEventAttributes?.timeoutType) ?? [];
    expect(timeouts.filter((type) => type === SCHEDULE_TO_START)).toEqual([]);
  });
});
