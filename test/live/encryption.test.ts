/** @slow */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { findPayloadKeys } from '../../client/encryption/read-payload-keys.ts';
import { SUPERVISE_BATCH } from '../../contract/batch-workflow.ts';
import { expectWhole, saying } from '../support/batch-end.ts';
import { changeRate, untilRecorded } from '../support/batch-record.ts';
import { openCluster, type Cluster } from '../support/cluster.ts';
import { findIn, readEverything, wordsOf } from '../support/find-secret.ts';
import { freePort } from '../support/free-port.ts';
import { replayHistoriesAt } from '../support/replay-histories.ts';
import { flagsOf, type TemporalPlace } from '../support/temporal-place.ts';
import { connectTo } from '../support/temporal-server.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 60;
/** Paid requests on the wire at once, by default. */
const SUBMITS = 8;
const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;

/** What Temporal keeps beside ids, names of types and search attributes, which stay readable. */
const READABLE = wordsOf('"lane":1', 'lane 1 of 1', '"rows":', '"open":', 'Keeps workers', 'no-such.csv');

/** Starts a batch that goes on until its rate is raised, however long the command and workers take. */
async function begin({ world }: Cluster, env: NodeJS.ProcessEnv): Promise<void> {
  expect(await world.run(['run', 'lines.csv', '--rate', '1', '--detach'], { env })).toMatchObject({ code: 0 });
}

/** `unknown`: rows that a kill may have left in doubt. */
async function finish({ world }: Cluster, env: NodeJS.ProcessEnv, { unknown = 0 } = {}): Promise<void> {
  await changeRate(world, 'lines', 100);
  await untilRecorded(world, 'lines', ({ state }) => state === 'closed');
  await world.run(['results', 'lines'], { env });
  const end = await expectWhole(world, 'lines', ROWS);
  expect(end.unknown).toBeLessThanOrEqual(unknown);
  expect(end.charges).toBeGreaterThanOrEqual(ROWS - end.unknown);
  expect(world.doubleCharges()).toEqual([]);
}

async function open(): Promise<Cluster> {
  const cluster = await openCluster({ seed: 94, createMs: [20, 60], jobMs: [200, 400], rows: ROWS, kinds: ['tts'] }, 0);
  // What is replayed at the end of each test is so without keys; here it is replayed with them, and taken away.
  cluster.world.forget();
  return cluster;
}

/** Replays all histories with the keys in this environment, and takes them away. */
async function replay({ server }: Cluster, env: NodeJS.ProcessEnv): Promise<void> {
  expect(await replayHistoriesAt(server, undefined, findPayloadKeys(env))).toBeGreaterThan(0);
  await server.forget();
}

describe('encrypted histories', () => {
  it('hold nothing that can be read, failures included; the codec server shows them to whoever has the key', async () => {
    const cluster = await open();
    const { world, server } = cluster;
    const env = { ...cluster.env, VOXBATCH_PAYLOAD_KEYS: key('k1') };
    const worker = await world.startWorking(['worker'], { env });
    await begin(cluster, env);
    await finish(cluster, env);
    const create = ['schedule', 'create', 'broken', 'no-such.csv', '--cron', '0 0 29 2 *'];
    expect(await world.run(create, { env })).toMatchObject({ code: 0 });
    await world.run(['schedule', 'trigger', 'broken', '--wait'], { env });
    const { bytes, workflows } = await readEverything(server);
    expect(workflows).toBeGreaterThan(1);
    expect(findIn('history', bytes, READABLE)).toEqual([]);
    expect(findIn('history', bytes, wordsOf('binary/encrypted', 'VoxbatchUnknown'))).toHaveLength(2);

    const ui = 'https://temporal.example';
    const port = String(await freePort());
    const args = ['codec-server', '--port', port, '--origin', ui];
    const codec = world.start(args, { env: { ...env, VOXBATCH_CODEC_TOKEN: 'open-sesame' } });
    await codec.said('Decrypts what Temporal keeps');
    const { stdout: shown } = await codecShow(server, `http://127.0.0.1:${port}`, 'Bearer open-sesame');
    const data = [...shown.matchAll(/"data": ?"([^"]*)"/g)].map(([, base64 = '']) => atob(base64));
    expect(data).toContainEqual(expect.stringContaining('"lane":1'));
    await codec.endInOrder();
    await worker.endInOrder();
    await replay(cluster, env);
  });

  it('are not worked on without the key, and nothing is lost: whoever has it goes on', async () => {
    const cluster = await open();
    const { world } = cluster;
    const env = { ...cluster.env, VOXBATCH_PAYLOAD_KEYS: key('k1') };
    const blind = await world.startWorking(['worker'], { env: cluster.env });
    await begin(cluster, env);
    await waitFor(async () =>
      (await world.read('.voxbatch', 'logs', 'worker.log')).includes('encrypted with the key \\"k1\\"'),
    );
    expect(world.charges().size).toBe(0);
    await blind.endInOrder();
    const worker = await world.startWorking(['worker'], { env });
    await finish(cluster, env);
    await worker.endInOrder();
    await replay(cluster, env);
  });

  it('outlive a rotation in mid-batch', async () => {
    const cluster = await open();
    const { world, server } = cluster;
    const [old, fresh] = [key('old'), key('fresh')];
    const env = (keys: string): NodeJS.ProcessEnv => ({ ...cluster.env, VOXBATCH_PAYLOAD_KEYS: keys });
    const first = await world.startWorking(['worker'], { env: env(old) });
    await begin(cluster, env(old));
    await world.untilCharged(5);
    await first.kill();
    const second = await world.startWorking(['worker'], { env: env(`${fresh},${old}`) });
    await finish(cluster, env(`${fresh},${old}`), { unknown: SUBMITS });
    const { bytes } = await readEverything(server);
    expect(findIn('history', bytes, wordsOf('\nold\n', '\nfresh\n'))).toHaveLength(2);
    await second.endInOrder();
    await replay(cluster, env(`${old},${fresh}`));
  });
});

it('keys that are none are refused, and not said', async () => {
  const { world, env } = await openCluster({ rows: 1 }, 0);
  const secret = randomBytes(31).toString('base64');
  const said = await world.run(['run', 'lines.csv'], { env: { ...env, VOXBATCH_PAYLOAD_KEYS: `k:${secret}` } });
  expect(said).toMatchObject({ code: 2, stderr: saying('VOXBATCH_PAYLOAD_KEYS') });
  expect(said.stderr).not.toContain(secret);
});

async function codecShow(place: TemporalPlace, endpoint: string, auth: string): Promise<{ readonly stdout: string }> {
  const client = await connectTo(place);
  let workflowId = '';
  for await (const one of client.workflow.list({ query: `WorkflowType = "${SUPERVISE_BATCH}"` }))
    workflowId = one.workflowId;
  const cli = process.env['VOXBATCH_TEMPORAL_CLI'] ?? 'temporal';
  const args = ['workflow', 'show', ...flagsOf(place), '--workflow-id', workflowId, '--output', 'json'];
  return promisify(execFile)(cli, [...args, '--codec-endpoint', endpoint, '--codec-auth', auth]);
}
