/** @slow */
import { expect, it } from '@jest/globals';
import { SUPERVISE_BATCH } from '../../contract/batch-workflow.ts';
import { expectWhole, saying } from '../support/batch-end.ts';
import { changeRate, untilRecorded } from '../support/batch-record.ts';
import { openCluster } from '../support/cluster.ts';
import type { WorldOptions } from '../support/live-world.ts';
import { connectTo } from '../support/temporal-server.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 100;

const RUNNING = `WorkflowType = "${SUPERVISE_BATCH}" AND ExecutionStatus = "Running"`;

it('an open batch is looked after by worker: its workflow, terminated by hand, is replaced, and nothing is paid twice', async () => {
  const options: WorldOptions = { seed: 91, createMs: [20, 100], jobMs: [300, 1_000], rows: ROWS, kinds: ['tts'] };
  const { world, server, env } = await openCluster(options, 0);
  const { workflow } = await connectTo(server);
  const lonely = await world.run(['doctor'], { env });
  expect(lonely).toMatchObject({ code: 4, stdout: saying('no worker polls this queue: voxbatch worker') });
  const worker = await world.startWorking(['worker', '--look-every', '1'], { env });
  await waitFor(async () => (await world.run(['doctor'], { env })).code === 0);
  expect(await world.run(['run', 'lines.csv', '--rate', '0.5', '--detach'], { env })).toMatchObject({ code: 0 });
  // As a person does it in the UI, in mid-batch, however long it then takes somebody to see it.
  await changeRate(world, 'lines', 15);
  await world.untilCharged(20);
  await changeRate(world, 'lines', 0.5);
  await waitFor(async () => {
    for await (const { workflowId } of workflow.list({ query: RUNNING })) {
      await workflow.getHandle(workflowId).terminate('by hand');
      return true;
    }
    return false;
  });
  await worker.said(
    'Batch "lines" continues with a new workflow. The workflow of the batch has ended as terminated: by hand.',
  );
  await changeRate(world, 'lines', 60);
  await untilRecorded(world, 'lines', ({ state }) => state === 'closed');
  await world.run(['results', 'lines']);
  expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  await worker.endInOrder();
  // Temporal still lists it.
  expect(await world.run(['doctor'], { env })).toMatchObject({
    code: 4,
    stdout: saying('no worker polls this queue'),
  });
});
