/** @slow */
import type { IncomingHttpHeaders } from 'node:http';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { signatureOf } from '../../client/hooks/post-notice.ts';
import { expectWhole, saying } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';
import { serve } from '../support/api-server.ts';

const ROWS = 8;
const SECRET = 'hush-hush';

interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Writes down the environment that each process above this one was started with, up to the test's own. */
const LOOK_ABOVE = `pid=$PPID
while [ "$pid" -gt 1 ] && [ "$pid" != "$TOP" ]; do
  echo "PROCESS $pid" && tr '\\0' '\\n' < "/proc/$pid/environ"
  pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status")
done >> above
`;

describe('hooks', () => {
  let world: LiveWorld;
  let url = '';
  let posted: Posted[] = [];
  /** How the receiver answers, one after the other; then 204. */
  let answers: number[] = [];

  beforeEach(async () => {
    [posted, answers] = [[], []];
    const server = await serve(({ headers, body }, response) => {
      posted.push({ headers, body });
      response.writeHead(answers.shift() ?? 204).end();
    });
    url = `${server.origin}/T0/secret-path`;
    world = await LiveWorld.open({ seed: 11, createMs: [20, 50], jobMs: [200, 400], rows: ROWS });
    await world.write('look-above.sh', LOOK_ABOVE);
  });
  /** What stood in the environments above the hooks so far: no secret of ours. */
  const expectNoneAbove = async (hooks: number): Promise<void> => {
    const above = await world.read('above');
    expect(above.match(/^PROCESS \d+$/gm)?.length).toBeGreaterThanOrEqual(hooks);
    expect(above).toContain('VOXBATCH_API_URL=');
    for (const secret of [world.simulator.token, SECRET]) expect(above).not.toContain(secret);
  };

  it('are told of the end once the files are there, and again where the receiver failed', async () => {
    answers = [500];
    const command =
      'test -f out/lines/summary.json && cat > seen.json && env > seen.env && sh look-above.sh && echo heard';
    const flags = ['--on-end', command, '--notify', url];
    const env = { VOXBATCH_NOTIFY_SECRET: SECRET, TOP: String(process.pid) };
    const ended = await world.run(['run', 'lines.csv', ...flags], { env });
    expect(ended).toMatchObject({ code: 0, stderr: saying('heard') });
    await expectWhole(world, 'lines', ROWS);

    expect(JSON.parse(await readFile(world.path('seen.json'), 'utf8'))).toMatchObject({
      batch: 'lines',
      state: 'closed',
      outcomes: { succeeded: ROWS },
    });
    const seen = await readFile(world.path('seen.env'), 'utf8');
    expect(seen).toContain(`VOXBATCH_SUCCEEDED=${ROWS}\n`);
    expect(seen).not.toContain(world.simulator.token);
    expect(seen).not.toContain(SECRET);
    await expectNoneAbove(1);

    expect(posted).toHaveLength(2);
    const [first, second] = posted.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(first).toEqual(second);
    expect(first).toMatchObject({ type: 'batch.ended', data: { batch: 'lines', exit_code: 0, rows: ROWS } });
    for (const { headers, body } of posted) {
      const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
      expect(headers['webhook-signature']).toBe(signatureOf({ id, timestamp, body, secret: SECRET }));
      expect(body).not.toContain(world.simulator.token);
    }
    const status = await world.run(['status', 'lines', '--json']);
    for (const { stdout, stderr } of [ended, status]) expect(stdout + stderr).not.toContain('secret-path');
  });

  it('are told that the batch paused by itself, and of its end from the background', async () => {
    await world.changeSimulator({ credits: 5 });
    const command = 'echo $VOXBATCH_EVENT $VOXBATCH_EXIT_CODE >> events && sh look-above.sh';
    const flags = ['--on-end', command, '--notify', url];
    expect(await world.run(['run', 'lines.csv', '-y', ...flags])).toMatchObject({ code: 12 });
    expect(await readFile(world.path('events'), 'utf8')).toBe('paused 12\n');
    expect(JSON.parse(posted[0]?.body ?? '')).toMatchObject({
      type: 'batch.paused',
      text: saying('paused by itself (OutOfCredits'),
    });

    await world.changeSimulator({ credits: 1_000_000 });
    const env = { VOXBATCH_NOTIFY_SECRET: SECRET, TOP: String(process.pid) };
    expect(await world.run(['run', 'lines.csv', '--detach'], { env })).toMatchObject({ code: 0 });
    await world.untilAlone();
    await expectNoneAbove(2);
    expect(await readFile(world.path('events'), 'utf8')).toBe('paused 12\nended 0\n');
    expect(posted.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'batch.paused',
      'batch.ended',
    ]);
    expect(posted.map(({ headers }) => headers['webhook-signature'] !== undefined)).toEqual([false, true]);
    await expectWhole(world, 'lines', ROWS);
  });

  it('that were cut off are told by the same run again, by nobody in a folder that came from elsewhere', async () => {
    // The first one kills the process that tells it.
    const command = 'if mkdir began; then kill -9 $PPID; exit; fi; echo $VOXBATCH_EVENT >> told';
    const run = ['run', 'lines.csv', '--on-end', command];
    expect(await world.run(run)).toMatchObject({ signal: 'SIGKILL' });
    const owed = { code: 75, stdout: saying('--on-end (ended) is still to be told') };
    expect(await world.run(['status', 'lines'])).toMatchObject(owed);

    await mkdir(world.path('foreign'));
    for (const name of ['.voxbatch', 'lines.csv']) {
      await cp(world.path(name), world.path('foreign', name), { recursive: true });
    }
    const refused = { code: 2, stderr: saying('voxbatch trust') };
    const there = { folder: 'foreign' };
    for (const words of [['up', '--until-idle'], ['worker'], ['run', 'lines.csv', '--yes']]) {
      expect(await world.run(words, there)).toMatchObject(refused);
    }
    await rm(world.path('foreign', '.voxbatch'), { recursive: true });
    await world.write('foreign/voxbatch.config.json', JSON.stringify({ onEnd: 'touch told' }));
    expect(await world.run(['run', 'lines.csv', '--yes'], there)).toMatchObject(refused);
    expect(existsSync(world.path('foreign', 'told'))).toBe(false);

    const sent = world.charges().size;
    expect(await world.run(run)).toMatchObject({ code: 0 });
    expect(await world.read('told')).toBe('ended\n');
    expect(await world.run(['status', 'lines'])).toMatchObject({ code: 0 });
    // Ends the server of the command that was killed.
    expect(await world.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect(world.charges().size).toBe(sent);
    expect(await world.read('told')).toBe('ended\n');
  });

  it('of a schedule are told by up once the files of its batch are there', async () => {
    const up = await world.startWorking(['up'], { env: { VOXBATCH_NOTIFY_SECRET: SECRET, TOP: String(process.pid) } });
    const command =
      'test -f "out/$VOXBATCH_BATCH/summary.json" && sh look-above.sh && echo $VOXBATCH_EVENT $VOXBATCH_EXIT_CODE >> events';
    const flags = ['--cron', '0 0 29 2 *', '--on-end', command, '--notify', url];
    expect(await world.run(['schedule', 'create', 'nightly', 'lines.csv', ...flags])).toMatchObject({ code: 0 });
    expect(await world.run(['schedule', 'trigger', 'nightly', '--wait'])).toMatchObject({ code: 0 });
    await waitFor(() => existsSync(world.path('events')) && posted.length > 0);
    await up.endInOrder();
    expect(await readFile(world.path('events'), 'utf8')).toBe('ended 0\n');
    await expectNoneAbove(1);
    expect(posted.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(['batch.ended']);
  });
});
