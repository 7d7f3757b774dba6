/** @slow */
import { describe, expect, it } from '@jest/globals';
import { SUPERVISE_BATCH } from '../../contract/batch-workflow.ts';
import { expectWhole, report, saying } from '../support/batch-end.ts';
import { sentByWorker, untilRecorded } from '../support/batch-record.ts';
import { openCluster } from '../support/cluster.ts';
import { connectTo } from '../support/temporal-server.ts';

const ROWS = 60;

describe('workers that do a part of the work', () => {
  it('send only while somebody downloads, and the batch ends by the work of both, also when those that download are killed', async () => {
    const { world, env, workers } = await openCluster(
      { seed: 98, createMs: [5, 20], jobMs: [300, 1_000], rows: ROWS, kinds: ['tts', 'dub'] },
      0,
    );
    const only = (part: string) => world.startWorking(['worker', '--only', part], { env });
    workers.push(await only('submit'));
    const run = world.start(['run', 'lines.csv', '--window', '20', '--rate', '6', '--halt', 'never'], { env });
    await run.said('No worker downloads');
    expect(await world.run(['status', 'lines'], { env })).toMatchObject({ stdout: saying('No worker downloads') });
    expect(world.charges().size).toBe(0);
    const downloader = await only('download');
    await Promise.all([
      workers[0]?.said('"lines", lane 1: work begins'),
      downloader.said('"lines", lane 1001: work begins'),
    ]);
    await world.untilCharged(ROWS / 3);
    await downloader.kill();
    // What is paid for waits for a worker that downloads, and counts as in flight.
    await untilRecorded(world, 'lines', (_, { states }) => states.fetching > 0);
    expect(await world.run(['list'], { env })).toMatchObject({ code: 0 });
    workers.push(await only('download'));
    expect(await run.ended).toMatchObject({ code: 0 });
    const end = await expectWhole(world, 'lines', ROWS);
    report('submit here, download there', { sent: await sentByWorker(world, 'lines'), ...end });
    expect(await sentByWorker(world, 'lines')).toHaveLength(1);
    expect(end).toMatchObject({ unknown: 0, charges: ROWS + ROWS / 2 });
    await Promise.all(workers.map((worker) => worker.endInOrder()));
  });

  it('go on beside those that do everything: these fetch what the last one that downloads has left', async () => {
    const { world, env, server, workers } = await openCluster(
      { seed: 99, createMs: [5, 20], jobMs: [300, 1_000], rows: ROWS, kinds: ['tts'] },
      0,
    );
    const parts = ['submit', 'download'];
    const [submitter, downloader] = await Promise.all(
      parts.map((part) => world.startWorking(['worker', '--only', part], { env })),
    );
    const run = world.start(['run', 'lines.csv', '--rate', '6', '--halt', 'never'], { env });
    await world.untilCharged(ROWS / 4);
    await downloader?.kill();
    await untilRecorded(world, 'lines', (_, { states }) => states.fetching > 0);
    await submitter?.endInOrder();
    workers.push(await world.startWorking(['worker'], { env }));
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
    // The lane of the killed one is offered for a while; then the workflow ends, too.
    const { workflow } = await connectTo(server);
    for await (const { workflowId } of workflow.list({ query: `WorkflowType = "${SUPERVISE_BATCH}"` }))
      await workflow.getHandle(workflowId).result();
    await Promise.all(workers.map((worker) => worker.endInOrder()));
  });
});
