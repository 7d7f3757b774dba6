/** @slow */
import { beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../support/free-port.ts';
import { expectWhole, saying } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 60;
const OLD = 'https://old.example/hooks/of-somebody';
/** Long enough for several polls of each job. A webhook may be a gap late before it counts as one that did not come. */
const JOB_MS = [5_000, 6_000] as const;
const GAP_MS = 1_500;

let world: LiveWorld;
let flags: readonly string[];

beforeAll(async () => {
  const [from, to] = JOB_MS;
  // A server of its own: whoever starts it knows at once that the killed process is dead.
  world = await LiveWorld.open({
    ...{ seed: 95, createMs: [5, 20], jobMs: [from, to], webhooks: 'each', rows: ROWS, kinds: ['tts'] },
    config: { polling: { firstLookMs: GAP_MS, gapMs: GAP_MS } },
    shape: 'profile.webhook=webhookUrl',
  });
  const port = String(await freePort());
  flags = ['--webhook', `http://127.0.0.1:${port}/hooks`, '--webhook-port', port];
  expect(await world.run(['profile', 'set-webhook', OLD])).toMatchObject({ code: 0 });
});

const run = (name: string, ...more: readonly string[]): readonly string[] => [
  ...['run', 'lines.csv', '--name', name, '--cache', 'off', '--submits', '32', ...more],
];

it('POST /profile: jobs that webhooks announce are hardly polled, and the earlier webhook is put back', async () => {
  const { jobReads: before } = await world.statistics();
  expect(await world.run(run('told', ...flags))).toMatchObject({ code: 0, stderr: saying('put back') });
  const { jobReads: after } = await world.statistics();
  expect(await expectWhole(world, 'told', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  // A poll finds a job that runs; a look after its end is not one.
  expect(after.running - before.running).toBeLessThanOrEqual(0.2 * ROWS);
  expect(await webhook()).toBe(OLD);
});

it('POST /profile: the next start puts back what a killed process left, and jobs without webhooks are polled', async () => {
  await world.changeSimulator({ jobMs: [200, 1_000] });
  const killed = world.start(run('killed', ...flags));
  await waitFor(async () => (await webhook()) !== OLD, undefined, 100);
  await killed.kill();
  expect(await webhook()).not.toBe(OLD);
  expect(await world.run(run('killed'))).toMatchObject({ stderr: saying('put back') });
  expect(await webhook()).toBe(OLD);
  await expectWhole(world, 'killed', ROWS);
});

it('POST /profile: of two commands with records of their own on one account, the first alone sets the webhook, and puts it back even after a kill', async () => {
  // Both run until they are told to end.
  await world.changeSimulator({ jobMs: [3_600_000, 3_600_000] });
  const first = world.start(run('first', ...flags));
  await waitFor(async () => (await webhook()) !== OLD, undefined, 100);
  const set = await webhook();
  const port = String(await freePort());
  const elsewhere = { env: { VOXBATCH_HOME: world.path('home-second') } };
  const own = ['--webhook', `http://127.0.0.1:${port}/hooks`, '--webhook-port', port];
  const second = world.start(run('second', ...own), elsewhere);
  await second.said('Another voxbatch, with records of its own');
  await first.kill();
  await world.changeSimulator({ jobMs: [200, 1_000] });
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(await webhook()).toBe(set);
  expect(await world.run(run('first', ...flags))).toMatchObject({ stderr: saying('put back') });
  expect(await webhook()).toBe(OLD);
  await expectWhole(world, 'first', ROWS);
  expect(world.charges('second').size).toBe(ROWS);
});

it('webhooks that somebody forged change nothing but when jobs are looked at', async () => {
  await world.changeSimulator({ webhooks: 'forged' });
  expect(await world.run(run('forged', ...flags))).toMatchObject({ code: 0 });
  expect(await expectWhole(world, 'forged', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  expect(await webhook()).toBe(OLD);
});

/** The account's webhook, as the API shows it. */
async function webhook(): Promise<unknown> {
  const { url, token } = world.simulator;
  const answer = await fetch(`${url}/profile`, { headers: { authorization: `Bearer ${token}`, connection: 'close' } });
  return ((await answer.json()) as { webhookUrl?: unknown }).webhookUrl;
}
