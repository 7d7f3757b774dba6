import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { CONTROL_NEWS, CONTROL_SIGNAL, RUN_BATCH, type RunBatchInput } from '../../contract/messages.ts';
import { batchWorkflowId, laneWorkflowId } from '../../contract/names.ts';
import type { Control } from '../../contract/outcomes.ts';
import { joinServer, type Membership } from '../../embedded/join-server.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { expectWhole, report } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';
import { replayHistories } from '../support/replay-histories.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 100;
const LANES = 2;
/** A window that one lane alone cannot empty the batch with. */
const RUN = ['run', 'lines.csv', '--window', '40'];
const EVENTS = 60;
const FLIPS = 10;
/** Shorter than any heartbeat time-out, longer than it takes the server to write down what was sent. */
const STANDSTILL_MS = 700;

describe('lanes that continue as new under load', () => {
  let world: LiveWorld;
  let ledger: Ledger;
  let membership: Membership;
  let client: Client;

  beforeEach(async () => {
    world = await LiveWorld.create({ seed: 81, createMs: [20, 200], jobMs: [500, 2_500] });
    await world.prepare(ROWS);
    // Makes the batch; its workflow is replaced by one that continues as new much sooner.
    expect(await world.run(RUN, { dieAt: 'before-intent:1' })).toMatchObject({ signal: 'SIGKILL' });
    membership = await joinServer({ home: world.path('.voxbatch'), env: process.env, say: () => undefined });
    client = new Client({ connection: await Connection.connect({ address: membership.address }) });
    ledger = await openLedger(world.path('.voxbatch', 'ledger.db'));
    const workflowId = batchWorkflowId(ledger.id, 'lines');
    const first = client.workflow.getHandle(workflowId);
    const { taskQueue } = await first.describe();
    await first.terminate('the test starts its own');
    const input: RunBatchInput = { batch: 'lines', lanes: LANES, continueAfterEvents: EVENTS };
    await client.workflow.start(RUN_BATCH, { workflowId, taskQueue, args: [input], workflowTaskTimeout: '3s' });
  });
  afterEach(async () => {
    await ledger.close();
    await client.connection.close();
    await membership.leave();
    await world.close();
  });

  /** As `pause` and `resume` do it. */
  async function tell(control: Control): Promise<void> {
    await ledger.setControl('lines', control);
    await client.workflow.getHandle(batchWorkflowId(ledger.id, 'lines')).signal(CONTROL_NEWS);
  }

  async function tellLanes(...controls: readonly Control[]): Promise<void> {
    for (let lane = 1; lane <= LANES; lane++) {
      const handle = client.workflow.getHandle(laneWorkflowId(batchWorkflowId(ledger.id, 'lines'), lane));
      for (const control of controls) await handle.signal(CONTROL_SIGNAL, control).catch(() => undefined);
    }
  }

  it('lose no row and charge none twice, while pause, resume and slices arrive in the same task', async () => {
    // A worker that stays through the pauses; at a standstill it lets what arrives pile up into one task.
    const up = world.start(['up']);
    await up.said('Working for account');
    for (let flip = 1; flip <= FLIPS; flip++) {
      await world.untilCharged(flip * 8);
      await tell('paused');
      // Stopped, it may hold the ledger; so nothing is written there meanwhile.
      up.child.kill('SIGSTOP');
      await tellLanes('running', 'paused', 'running', 'paused');
      await pause(STANDSTILL_MS);
      up.child.kill('SIGCONT');
      await tell('running');
      await tellLanes('paused', 'running');
    }
    await waitFor(async () => (await ledger.findBatch('lines'))?.state === 'closed', 90_000);
    const { code } = await world.run(RUN);
    const end = await expectWhole(world, 'lines', ROWS);
    expect(code).toBe(0);
    expect(end).toMatchObject({ unknown: 0, charges: ROWS + ROWS / 4 });
    up.child.kill('SIGTERM');
    expect(await up.ended).toMatchObject({ code: 0 });

    const runs = await runsOfLanes();
    report('continue as new', { flips: FLIPS, runsOfLanes: runs, ...end });
    expect(runs).toHaveLength(LANES);
    for (const count of runs) expect(count).toBeGreaterThanOrEqual(3);
    expect(await replayHistories(world.path('.voxbatch'))).toBeGreaterThan(LANES * 3);
  });

  /** How many runs each lane's chain has, and that each run but the last continued as new. */
  async function runsOfLanes(): Promise<number[]> {
    const counts = new Map<string, number>();
    const list = client.workflow.list({ query: 'WorkflowType = "runLane"' });
    for await (const { workflowId, status } of list) {
      if (status.name === 'CONTINUED_AS_NEW') counts.set(workflowId, (counts.get(workflowId) ?? 1) + 1);
      else expect(['COMPLETED', 'TERMINATED']).toContain(status.name);
    }
    return [...counts.values()];
  }
});
