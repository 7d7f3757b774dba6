/** @slow */
import { expect, it } from '@jest/globals';
import { expectWhole, report } from '../support/batch-end.ts';
import { changeRate, sentByWorker, untilSentBy } from '../support/batch-record.ts';
import { openCluster } from '../support/cluster.ts';
import { freePort } from '../support/free-port.ts';

const ROWS = 60;
/** Each job would be polled four times. */
const JOB_MS = [9_000, 10_000] as const;
const GAP_MS = 2_000;

it('jobs of a worker that receives no webhooks are read when another one is told of their ends, and hardly polled', async () => {
  const { world, env, workers } = await openCluster(
    {
      ...{ seed: 97, createMs: [5, 20], jobMs: [...JOB_MS], webhooks: 'each', rows: ROWS, kinds: ['tts'] },
      config: { polling: { firstLookMs: GAP_MS, gapMs: GAP_MS } },
      shape: 'profile.webhook=webhookUrl',
    },
    0,
  );
  const port = String(await freePort());
  const receiver = ['worker', '--webhook', `http://127.0.0.1:${port}/hooks`, '--webhook-port', port];
  // One after the other: the second one then knows from its start that the first one receives webhooks.
  workers.push(await world.startWorking(receiver, { env }));
  workers.push(await world.startWorking(['worker'], { env }));
  const { jobReads: before } = await world.statistics();
  const flags = ['--cache', 'off', '--submits', '32', '--rate', '0.5'];
  const run = world.start(['run', 'lines.csv', ...flags], { env });
  // Quick only once both are at work: else one could send everything.
  await untilSentBy(world, 'lines', 2);
  await changeRate(world, 'lines', 20);
  expect(await run.ended).toMatchObject({ code: 0 });
  const { jobReads: after } = await world.statistics();
  const sent = await sentByWorker(world, 'lines');
  const running = after.running - before.running;
  report('webhooks across hosts', { sent, running, ended: after.ended - before.ended });
  expect(sent).toHaveLength(2);
  expect(Math.min(...sent)).toBeGreaterThanOrEqual(ROWS / 4);
  // One worker alone would poll its jobs more often.
  expect(running).toBeLessThan(2 * Math.min(...sent));
  expect(running).toBeLessThanOrEqual(0.5 * ROWS);
  await expectWhole(world, 'lines', ROWS);
  await Promise.all(workers.map((worker) => worker.endInOrder()));
});
