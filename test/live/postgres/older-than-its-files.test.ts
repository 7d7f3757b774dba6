/** @slow */
import { expect, it } from '@jest/globals';
import { cp, rm } from 'node:fs/promises';
import { saying } from '../../support/batch-end.ts';
import { openCluster } from '../../support/cluster.ts';
import { LiveWorld, type WorldOptions } from '../../support/live-world.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';
import { makeReplaceableDatabase } from '../../support/replaceable-database.ts';

/** Ledgers that are older than the out folder of their batch, which alone knows what was paid for: no job has ended yet. */

const OPTIONS: WorldOptions = { seed: 7, createMs: [5, 10], jobMs: [600_000, 600_000], rows: 12, kinds: ['tts'] };
const RUN = ['run', 'lines.csv', '--yes', '--rate', '2'];
const REFUSED = { code: 2, stderr: saying('paid requests of') };

it('after a restore, nothing is resumed or run while the files know of paid requests, also once a run that followed has written them again', async () => {
  const database = await makeReplaceableDatabase();
  const { ledger } = database;
  const { world, env, workers } = await openCluster({ ...OPTIONS, ledger }, 1);
  const run = (line: string): ReturnType<LiveWorld['run']> => world.run(line.split(' '), { env });
  const follower = world.start(RUN, { env });
  await world.untilCharged(3);
  await database.copy();
  await world.untilCharged(10);
  await run('results lines');
  await workers[0]?.kill();
  const sent = await world.untilTaken();
  await database.putCopy();

  expect(await run('ledger accept-copy')).toMatchObject({ code: 0 });
  expect(await follower.ended).toMatchObject({ code: 75, stderr: saying('are kept in out/lines/before-copy-') });
  for (const line of ['ledger compare-store', 'ledger accept-copy --compared'])
    expect(await run(line)).toMatchObject({ code: 0 });
  await run('reconcile lines');
  expect(await run('plan lines.csv')).toMatchObject({ stderr: REFUSED.stderr });
  const worker = await world.startWorking(['worker'], { env });
  for (const line of ['resume lines', RUN.join(' '), 'redrive lines --rows r1 --yes'])
    expect(await run(line)).toMatchObject(REFUSED);
  await worker.endInOrder();
  expect(world.simulator.ledger()).toHaveLength(sent);
});

it.each(['PostgreSQL', 'a file'])(
  '%s that was set back while nobody ran sends nothing that the files know of',
  async (kind) => {
    const server = kind === 'a file' ? undefined : await postgresForTest();
    const world = await LiveWorld.open({ ...OPTIONS, ...(server && { ledger: server.url }) });
    const run = (line: string): ReturnType<LiveWorld['run']> => world.run(line.split(' '));
    /** Keeps the ledger as it is now, while nobody runs. Returns how to set it back to that. */
    const keep = async (): Promise<() => Promise<void>> => {
      const [home, kept] = [world.path('.voxbatch'), world.path('kept')];
      if (server === undefined) await cp(home, kept, { recursive: true });
      server?.kill();
      const back = server?.keepFiles();
      await server?.start();
      return async () => {
        if (server === undefined) {
          await rm(home, { recursive: true });
          await cp(kept, home, { recursive: true });
        }
        server?.kill();
        back?.();
        await server?.start();
      };
    };
    const first = world.start(RUN);
    await world.untilCharged(3);
    await first.kill();
    const setBack = await keep();
    const second = world.start(RUN);
    await world.untilCharged(10);
    await run('results lines');
    await second.kill();
    const sent = await world.untilTaken();
    await setBack();
    if (server === undefined) await run('trust');

    expect(await run('plan lines.csv')).toMatchObject({ stderr: REFUSED.stderr });
    for (const line of [RUN.join(' '), 'reconcile lines']) expect(await run(line)).toMatchObject(REFUSED);
    // The files are still known after they were written again.
    expect(await run('results lines')).toMatchObject({ stderr: saying('are kept in out/lines/before-copy-') });
    expect(await run(RUN.join(' '))).toMatchObject(REFUSED);
    expect(await run('ledger accept-copy')).toMatchObject({ code: 0, stderr: saying('lines') });
    await run('ledger accept-copy --compared');
    expect(await run('resume lines')).toMatchObject(REFUSED);
    expect(world.simulator.ledger()).toHaveLength(sent);
  },
);
