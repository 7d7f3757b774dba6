/** @slow */
import { expect, it } from '@jest/globals';
import { startSimulator } from '../../../simulator/start-simulator.ts';
import { report, saying } from '../../support/batch-end.ts';
import { changeRate, sentByWorker, untilSentBy } from '../../support/batch-record.ts';
import { serveByToken } from '../../support/by-token.ts';
import { openCluster } from '../../support/cluster.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { mixedManifest } from '../../support/mixed-manifest.ts';
import { newPostgresSchema } from '../../support/postgres-schema.ts';

/** So many that both workers of an account are at work long before the end. */
const ROWS = 160;
/** So many that each of four workers gets a lane. */
const MANY = 160;

it('four workers keep to a budget exactly, pay once for what two batches ask for at once, and are steered without token or store', async () => {
  const { world, env, workers } = await openCluster(
    { seed: 201, createMs: [20, 60], jobMs: [200, 600], kinds: ['tts'], rows: MANY, ledger: newPostgresSchema() },
    4,
  );
  const paid = (): number => world.simulator.ledger().reduce((sum, { credits }) => sum + credits, 0);

  // Two batches, the same texts, at once: whoever comes second waits for the result of the first.
  const same = ['one', 'two'].map((name) =>
    world.start(['run', 'lines.csv', '--name', name, '--rate', '40', '--halt', 'never'], { env }),
  );
  for (const { ended } of same) expect(await ended).toMatchObject({ code: 0 });
  const outcomes = [...(await world.results('one')).values(), ...(await world.results('two')).values()].map((row) =>
    String(row['_outcome']),
  );
  expect(world.simulator.ledger()).toHaveLength(MANY);
  expect(outcomes.filter((one) => one === 'succeeded')).toHaveLength(MANY);
  expect(outcomes.filter((one) => one === 'cached')).toHaveLength(MANY);
  const senders = [...(await sentByWorker(world, 'one')), ...(await sentByWorker(world, 'two'))];
  report('two batches, the same texts', { senders });

  // A budget for a part of it.
  const before = paid();
  const dearest = Math.max(...world.simulator.ledger().map(({ credits }) => credits));
  const budget = Math.round(0.5 * before);
  const limited = [
    'run',
    'lines.csv',
    '--name',
    'limited',
    '--cache',
    'off',
    '--budget',
    String(budget),
    '--rate',
    '1',
  ];
  const running = world.start(limited, { env });
  // However long a worker takes to begin, each has a part in it.
  await untilSentBy(world, 'limited', 4);
  await changeRate(world, 'limited', 40);
  expect(await running.ended).toMatchObject({ code: 12 });
  const spent = paid() - before;
  const sent = await sentByWorker(world, 'limited');
  report('budget over four workers', { budget, spent, dearest, sent });
  expect(sent).toHaveLength(4);
  expect(spent).toBeLessThanOrEqual(budget);
  expect(spent).toBeGreaterThan(budget - dearest);

  // An open batch, looked at and steered by somebody who has no token, and cannot reach the store.
  const open = ['run', 'lines.csv', '--name', 'open', '--cache', 'off', '--rate', '0.5', '--detach'];
  expect(await world.run(open, { env })).toMatchObject({ code: 0 });
  await untilSentBy(world, 'open', 1);
  const bare = {
    ...env,
    ...{ VOXBATCH_API_TOKEN: undefined, VOXBATCH_API_URL: undefined, VOXBATCH_STORE: 's3://away/media' },
    ...{
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_REGION: 'r',
    },
  };
  const codes: Record<string, number | null> = {};
  for (const line of [
    ...['status open', 'list', 'explain r1 --batch open', 'tune open --rate 1', 'pause open', 'watch open'],
    ...['resume open', 'history open', 'stop open --now'],
  ])
    codes[line] = (await world.run(line.split(' '), { env: bare })).code;
  report('without token or store', codes);
  expect(codes).toEqual({
    ...{ 'status open': 75, list: 0, 'explain r1 --batch open': 0, 'tune open --rate 1': 0, 'pause open': 0 },
    ...{ 'watch open': 75, 'resume open': 0, 'history open': 0, 'stop open --now': 0 },
  });
  const { stdout } = await world.run(['history', 'open'], { env: bare });
  expect(stdout).toEqual(saying('resume'));
  expect(world.doubleCharges()).toEqual([]);
  await Promise.all(workers.map((worker) => worker.endInOrder()));
});

it('several accounts in one ledger each have workers of their own, which take no row of another one and keep to the rate of theirs', async () => {
  const { world, env, workers } = await openCluster(
    { seed: 202, createMs: [20, 60], jobMs: [200, 600], token: 'first', ledger: newPostgresSchema() },
    0,
  );
  const second = await startSimulator({ seed: 203, createMs: [20, 60], jobMs: [200, 600], token: 'second' });
  endAfterTest(() => second.close());
  const url = await serveByToken([world.simulator, second]);
  await world.configure({ polling: { firstLookMs: 500, gapMs: 500 } });
  const accounts = ['first', 'second'].map((token) => ({
    token,
    env: { ...env, VOXBATCH_API_URL: url, VOXBATCH_API_TOKEN: token },
  }));
  for (const { token } of accounts) await world.write(`${token}.csv`, mixedManifest(ROWS, ['tts']));
  const starts = accounts.flatMap((account) => [account, account]);
  workers.push(...(await Promise.all(starts.map((account) => world.startWorking(['worker'], { env: account.env })))));
  const runs = accounts.map((account) =>
    world.start(['run', `${account.token}.csv`, '--rate', '10', '--halt', 'never', '--cache', 'off'], {
      env: account.env,
    }),
  );
  for (const { ended } of runs) expect(await ended).toMatchObject({ code: 0 });
  for (const [simulator, token] of [
    [world.simulator, 'first'],
    [second, 'second'],
  ] as const) {
    const requests = simulator.ledger();
    const keys = new Set(requests.map(({ idempotencyKey }) => idempotencyKey));
    expect([requests.length, keys.size]).toEqual([ROWS, ROWS]);
    expect([...keys].every((key) => key?.includes(`-${token}-`))).toBe(true);
    // Two workers that each kept to the rate alone would need half of the time: 8 s.
    const times = requests.map(({ at }) => at).toSorted((one, other) => one - other);
    const spanMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    report(`account ${token}`, { sent: await sentByWorker(world, token), spanMs });
    expect(await sentByWorker(world, token)).toHaveLength(2);
    expect(spanMs).toBeGreaterThan(11_000);
  }
  await Promise.all(workers.map((worker) => worker.endInOrder()));
});
