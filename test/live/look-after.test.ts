/** @slow */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { SUPERVISE_BATCH } from '../../contract/messages.ts';
import { expectWhole } from '../support/batch-end.ts';
import { changeRate, untilRecorded } from '../support/batch-record.ts';
import { LiveWorld } from '../support/live-world.ts';
import { TemporalServer } from '../support/temporal-server.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 100;

describe('an open batch is looked after', () => {
  let world: LiveWorld;
  let server: TemporalServer;
  let client: Client;
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    world = await LiveWorld.create({ seed: 91, createMs: [20, 100], jobMs: [300, 1_000] });
    await world.prepare(ROWS, ['tts']);
    server = await TemporalServer.start(world.folder);
    client = new Client({ connection: await Connection.connect({ address: server.address }) });
    env = { TEMPORAL_ADDRESS: server.address };
  });
  afterEach(async () => {
    await client.connection.close();
    await world.close();
    await server.kill();
  });

  /** As a person does it in the UI, in mid-batch, however long it then takes somebody to see it. */
  async function terminate(): Promise<void> {
    await changeRate(world, 'lines', 15);
    await world.untilCharged(20);
    await terminateRunning();
    await changeRate(world, 'lines', 0.5);
  }

  async function terminateRunning(): Promise<void> {
    const running = `WorkflowType = "${SUPERVISE_BATCH}" AND ExecutionStatus = "Running"`;
    await waitFor(async () => {
      for await (const { workflowId } of client.workflow.list({ query: running })) {
        await client.workflow.getHandle(workflowId).terminate('by hand');
        return true;
      }
      return false;
    });
  }

  it('by worker: its workflow, terminated by hand, is replaced, and nothing is paid twice', async () => {
    const lonely = await world.run(['doctor'], { env });
    expect(lonely).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('no worker polls this queue: voxbatch worker'),
    });
    const worker = world.start(['worker', '--look-every', '1'], { env });
    await worker.said('Working for account');
    await waitFor(async () => (await world.run(['doctor'], { env })).code === 0);
    expect(await world.run(['run', 'lines.csv', '--rate', '0.5', '--detach'], { env })).toMatchObject({ code: 0 });
    await terminate();
    await worker.said(
      'Batch "lines" continues with a new workflow. The workflow of the batch has ended as terminated: by hand.',
    );
    await changeRate(world, 'lines', 60);
    await untilRecorded(world, 'lines', ({ state }) => state === 'closed');
    await world.run(['results', 'lines']);
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
  });
});
