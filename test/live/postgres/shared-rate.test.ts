/** @slow */
import { expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { expectWhole, report } from '../../support/batch-end.ts';
import { changeRate, countByOwner, untilSentBy } from '../../support/batch-record.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { LiveWorld } from '../../support/live-world.ts';
import { newPostgresSchema } from '../../support/postgres-schema.ts';
import { TemporalServer } from '../../support/temporal-server.ts';

const ROWS = 400;
const RATE = 50;
/** How far the clocks of the workers' hosts are from the right time, ms. */
const CLOCKS = [0, 10_000, -10_000, 4_000];
/** The service has room for as many calls as come in a second. */
const STANDSTILL_NS = 500_000_000;
const SHIFT = pathToFileURL(resolve('test', 'support', 'shift-clock.mjs')).href;

it('four workers whose clocks are up to 20 s apart share a rate: no call is refused, and each sends its part', async () => {
  const place = newPostgresSchema();
  const world = await LiveWorld.open({
    ...{ seed: 43, createMs: [20, 60], jobMs: [300, 1_000], rate: RATE },
    ...{ rows: ROWS, kinds: ['tts'], ledger: place },
  });
  const { address } = await TemporalServer.start(world.folder);
  const env = { TEMPORAL_ADDRESS: address };
  const startAt = (offMs: number): ReturnType<LiveWorld['startWorking']> => {
    const shifted = { NODE_OPTIONS: `--import=${SHIFT}`, SHIFT_CLOCK_MS: String(offMs) };
    return world.startWorking(['worker'], { env: { ...env, ...shifted } });
  };
  const workers = await Promise.all(CLOCKS.map(startAt));
  const run = world.start(['run', 'lines.csv', '--rate', '4', '--submits', '32', '--halt', 'never'], { env });
  // However long a worker takes to begin, each has a part in it.
  await untilSentBy(world, 'lines', CLOCKS.length);
  const slow = world.simulator.ledger().length;
  const standstill = monitorEventLoopDelay();
  standstill.enable();
  await changeRate(world, 'lines', RATE);
  expect(await run.ended).toMatchObject({ code: 0 });
  const end = await expectWhole(world, 'lines', ROWS);
  const ledger = await openLedger(place, { mustExist: true });
  endAfterTest(() => ledger.close());
  const sentBy = await countByOwner(ledger, 'lines');
  const times = (await world.statistics()).creates.map(({ at }) => at).toSorted((one, other) => one - other);
  // At the end, workers without rows leave slots.
  const middle = times.slice(slow + ROWS / 10, -ROWS / 10);
  const seconds = ((middle.at(-1) ?? 0) - (middle[0] ?? 0)) / 1_000;
  const perSecond = Number(((middle.length - 1) / seconds).toFixed(1));
  report('a rate over four workers', { ...end, sentBy, perSecond });
  expect(end).toEqual({ rows: ROWS, unknown: 0, charges: ROWS });
  // What waited while this process stood still, in which the service is, came at once: then it may have refused some.
  if (standstill.max < STANDSTILL_NS) expect(times).toHaveLength(ROWS);
  expect(sentBy).toHaveLength(CLOCKS.length);
  await Promise.all(workers.map((worker) => worker.endInOrder()));
});
