/** @slow */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { WAKE_UP_SIGNAL, SUPERVISE_BATCH, type SuperviseBatchInput } from '../../contract/batch-workflow.ts';
import { batchWorkflowId } from '../../contract/names.ts';
import type { Control } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { expectWhole, report } from '../support/batch-end.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { LiveWorld } from '../support/live-world.ts';
import { connectTo } from '../support/temporal-server.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 100;
const RUN = ['run', 'lines.csv', '--window', '20', '--rate', '20'];
/** So few that each pause fills a history. */
const EVENTS = 20;
const FLIPS = 4;

describe('a batch that continues as new under load', () => {
  let world: LiveWorld;
  let ledger: Ledger;
  let client: Client;

  beforeEach(async () => {
    world = await LiveWorld.open({ seed: 81, createMs: [20, 200], jobMs: [300, 1_500], rows: ROWS });
    // Makes the batch; its workflow is replaced by one that continues as new much sooner.
    expect(await world.run(RUN, { dieAt: 'before-intent:1' })).toMatchObject({ signal: 'SIGKILL' });
    const membership = await world.join();
    endAfterTest(() => membership.leave());
    client = await connectTo(membership);
    ledger = await openLedger(world.path('.voxbatch', 'ledger.db'));
    endAfterTest(() => ledger.close());
    const workflowId = batchWorkflowId(ledger.id, 'lines');
    const first = client.workflow.getHandle(workflowId);
    const { taskQueue } = await first.describe();
    await first.terminate('the test starts its own');
    const input: SuperviseBatchInput = { batch: 'lines', continueAfterEvents: EVENTS };
    await client.workflow.start(SUPERVISE_BATCH, { workflowId, taskQueue, args: [input], workflowTaskTimeout: '3s' });
  });

  /** As `pause` and `resume` do it. */
  async function tell(control: Control): Promise<void> {
    await ledger.setControl('lines', control);
    await client.workflow.getHandle(batchWorkflowId(ledger.id, 'lines')).signal(WAKE_UP_SIGNAL);
  }

  it('loses no row and charges none twice, while it is paused and resumed', async () => {
    const up = await world.startWorking(['up']);
    for (let flip = 1; flip <= FLIPS; flip++) {
      await world.untilCharged(flip * 8);
      await tell('paused');
      // Its lane has nothing to do any more, and comes back.
      await waitFor(async () => (await ledger.laneOwners('lines')).length === 0);
      await waitFor(async () => (await continuedRuns()) >= flip);
      await tell('running');
    }
    await waitFor(async () => (await ledger.findBatch('lines'))?.state === 'closed');
    const { code } = await world.run(RUN);
    const end = await expectWhole(world, 'lines', ROWS);
    expect(code).toBe(0);
    expect(end).toMatchObject({ unknown: 0, charges: ROWS + ROWS / 4 });
    await up.endInOrder();

    const runs = await continuedRuns();
    report('continue as new', { flips: FLIPS, runs, ...end });
    expect(runs).toBeGreaterThanOrEqual(FLIPS);
    for await (const { status } of client.workflow.list({ query: `WorkflowType = "${SUPERVISE_BATCH}"` })) {
      expect(['CONTINUED_AS_NEW', 'COMPLETED', 'TERMINATED']).toContain(status.name);
    }
  });

  /** How many runs of the batch continued as new. */
  async function continuedRuns(): Promise<number> {
    const query = `WorkflowType = "${SUPERVISE_BATCH}" AND ExecutionStatus = "ContinuedAsNew"`;
    return (await client.workflow.count(query)).count;
  }
});
