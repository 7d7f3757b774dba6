import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { rename } from 'node:fs/promises';
import { expectWhole } from '../support/batch-end.ts';
import { freePort } from '../support/free-port.ts';
import { LiveWorld } from '../support/live-world.ts';
import { fetchesOf, keepSample, writeLocalManifest } from '../support/local-media.ts';

const ROWS = 60;

/** A world with local media, and the port where they are handed out. */
async function openWorld(options: Parameters<typeof LiveWorld.open>[0] = {}): Promise<LiveWorld> {
  const world = await LiveWorld.open({ fetchMedia: true, config: QUICK, ...options });
  await writeLocalManifest(world, ROWS);
  return world;
}

const QUICK = { polling: { firstLookMs: 300, gapMs: 300 } };

/** Every fetch of whole media brought exactly the content that its link names. */
async function expectTrueContent(world: LiveWorld): Promise<void> {
  for (const { url, status, sha256 } of await fetchesOf(world)) {
    if (status === 200) expect(new URL(url).pathname).toMatch(new RegExp(`/${sha256}\\.(?:mp4|wav)$`));
  }
}

describe('local audio and video, handed out from here', () => {
  let port = 0;
  beforeAll(async () => {
    port = await freePort();
  });
  const serving = (): string[] => ['--cache', 'off', '--serve-media', `127.0.0.1:${String(port)}`];

  it('are sent by links that the service really fetches, are priced by their length, and are never on record as links', async () => {
    const world = await openWorld({ jobMs: [200, 600] });
    const { code, stderr } = await world.run(['run', 'lines.csv', '--budget', '1000', ...serving()]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    await expectWhole(world, 'lines', ROWS);
    await expectTrueContent(world);
    const fetches = await fetchesOf(world);
    expect(fetches.filter(({ status }) => status === 200)).toHaveLength(ROWS + ROWS / 2);
    // A link is made for each request.
    expect(new Set(fetches.map(({ url }) => url)).size).toBe(fetches.length);
    expect(await world.read('out', 'lines', 'results.csv')).toContain('voice-2.wav');
    // The same again costs nothing.
    const charged = world.simulator.ledger().length;
    expect(await world.run(['run', 'lines.csv', ...serving()])).toMatchObject({ code: 0 });
    expect(world.simulator.ledger()).toHaveLength(charged);
  });

  it('a worker killed in the middle, three times: nothing is charged twice, and every row ends', async () => {
    const world = await openWorld({ jobMs: [300, 1_500], createMs: [50, 150] });
    const args = ['run', 'lines.csv', '--rate', '20', '--halt', 'never', ...serving()];
    let run = world.start(args);
    for (const share of [0.25, 0.5, 0.75]) {
      await world.untilCharged(Math.ceil(share * ROWS));
      await run.kill();
      run = world.start(args);
    }
    const { code } = await run.ended;
    expect([0, 10, 13]).toContain(code);
    const rows = [...(await world.results('lines')).values()];
    // What a service wanted to fetch while nobody was here is a failed job, and says so.
    for (const row of rows.filter(({ _outcome }) => _outcome === 'failed')) {
      expect(row).toMatchObject({ _message: expect.stringContaining('media URL cannot be fetched') as unknown });
    }
    expect(rows.every(({ _outcome }) => ['succeeded', 'failed', 'unknown'].includes(String(_outcome)))).toBe(true);
    const keys = world.simulator.ledger().map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(world.simulator.ledger().length).toBeLessThanOrEqual(ROWS);
    await expectTrueContent(world);
  });

  it('a file that changes between plan and request: its rows fail, say why, and cost nothing; the edited file is taken', async () => {
    const world = await openWorld();
    await world.run(['run', 'lines.csv', '--limit', '1', ...serving()]);
    await keepSample(world, 'voice-9.wav', 'other.wav');
    const before = world.simulator.ledger().length;
    await rename(world.path('other.wav'), world.path('voice-2.wav'));
    const { code } = await world.run(['run', 'lines.csv', '--halt', 'never', '--yes', ...serving()]);
    expect(code).toBe(10);
    const rows = [...(await world.results('lines')).values()];
    const failed = rows.filter(({ _outcome }) => _outcome === 'failed');
    expect(failed).toHaveLength(ROWS / 3);
    for (const row of failed)
      expect(row).toMatchObject({
        _error_class: 'BadRequest',
        _credits: 0,
        _message: expect.stringContaining('has changed since its row was checked') as unknown,
      });
    expect(world.simulator.ledger()).toHaveLength(before + ROWS - 1 - ROWS / 3);
    const again = await world.run([
      'redrive',
      'lines',
      '--from',
      'out/lines/failed.csv',
      '--yes',
      ...serving().slice(2),
    ]);
    expect(again).toMatchObject({ code: 0 });
    await expectTrueContent(world);
  });

  it('are refused before anything is sent where nothing hands them out, or the service cannot reach it', async () => {
    const world = await openWorld();
    const plain = await world.run(['run', 'lines.csv']);
    expect(plain).toMatchObject({ code: 2, stderr: expect.stringContaining('--serve-media') as unknown });
    const far = ['--api-url', 'https://api.example/api/open/v1', '--serve-media', '127.0.0.1:8777'];
    const plan = await world.run(['plan', 'lines.csv', ...far]);
    expect(plan).toMatchObject({ code: 2, stderr: expect.stringContaining('--serve-media-url') as unknown });
    expect(world.simulator.ledger()).toEqual([]);
  });
});

it('links of local media give ranges and heads, and nothing to who guesses', async () => {
  const world = await openWorld({ jobMs: [20_000, 20_000] });
  const port = await freePort();
  const run = world.start(['run', 'lines.csv', '--limit', '1', '--serve-media', `127.0.0.1:${String(port)}`]);
  await world.untilCharged(1);
  const link = world.simulator.ledger()[0]?.videoUrl ?? '';
  const whole = Buffer.from(await (await fetch(link)).arrayBuffer());
  expect(createHash('sha256').update(whole).digest('hex')).toBe(/\/([\da-f]{64})\./.exec(link)?.[1]);
  const part = await fetch(link, { headers: { range: 'bytes=10-19' } });
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(10, 20));
  const guessed = new URL(link);
  guessed.search = '';
  expect((await fetch(guessed)).status).toBe(404);
  await run.kill();
});
