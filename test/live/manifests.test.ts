/** @slow */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { endAfterTest } from '../support/end-after-test.ts';
import { Gate } from '../support/gate.ts';
import { LiveWorld } from '../support/live-world.ts';

const QUICK = { polling: { firstLookMs: 100, gapMs: 100 } };

let world: LiveWorld;

it('a bad manifest is refused with its problems; no more than the list of voices is asked for, and neither record nor server is left', async () => {
  world = await LiveWorld.open();
  await world.write('bad.csv', 'id,text,voice\na,Hello,v\nb,Bye,\n');
  const { code, stdout, stderr } = await world.run(['run', 'bad.csv']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^line 3, id b, column voice: expected .+; got .+\n[^]*Nothing was spent\..*voxbatch plan/);
  const asked = Object.keys((await world.statistics()).endpoints);
  expect(asked.filter((endpoint) => endpoint !== 'GET /voices')).toEqual([]);
  expect(world.simulator.ledger()).toEqual([]);
  // The home of the server, which is started while the manifest is read, stays.
  expect((await readdir(world.folder)).toSorted()).toEqual(['.voxbatch', 'bad.csv']);
  expect(existsSync(world.path('.voxbatch', 'ledger.db'))).toBe(false);
  expect(world.processes()).toEqual([]);
});

describe('a batch that is there already', () => {
  const ROWS = 6;
  const RUN = ['run', 'lines.csv'];
  beforeAll(async () => {
    const kinds = ['tts', 'stt'];
    world = await LiveWorld.open({ seed: 5, createMs: [5, 20], jobMs: [50, 200], rows: ROWS, kinds, config: QUICK });
    expect(await world.run(RUN)).toMatchObject({ code: 0 });
    expect(world.simulator.ledger()).toHaveLength(ROWS);
  });

  const files = ['results.csv', 'results.jsonl', 'receipts.jsonl'];
  const contents = (): Promise<Buffer[]> => Promise.all(files.map((name) => readFile(world.path('out/lines', name))));

  it('costs nothing when it is run again, starts no server, and its results are the same bytes', async () => {
    const before = await contents();
    const log = world.path('.voxbatch', 'logs', 'temporal.log');
    const { mtimeMs } = await stat(log);
    const { code, stderr } = await world.run(RUN);
    expect(code).toBe(0);
    expect(stderr).toContain('already finished');
    expect((await stat(log)).mtimeMs).toBe(mtimeMs);
    expect(world.simulator.ledger()).toHaveLength(ROWS);
    expect((await world.statistics()).paidRequests).toBe(ROWS);
    expect(await contents()).toEqual(before);
  });
});

describe('a manifest that is written in another way', () => {
  let gate: Gate;
  beforeAll(async () => {
    world = await LiveWorld.open({ server: true, seed: 6, createMs: [5, 20], jobMs: [50, 200], config: QUICK });
    gate = new Gate(world.simulator.port);
    await gate.open();
    endAfterTest(() => gate.shut());
  });

  /** The simulator through the gate, which hears what arrives there. */
  function env(): NodeJS.ProcessEnv {
    const url = new URL(world.simulator.url);
    url.port = String(gate.port);
    return { VOXBATCH_API_URL: url.href };
  }

  it('from standard input: -n names the batch, --file-name its files; api. columns and --format arrive at the API', async () => {
    const rows = ['a,Ann,Hello.,anna,"glad, very",0.7', 'b,Ben,Bye.,ben,,'];
    const input = `\uFEFF${['id,speaker,text,voice,api.emotion,api.volume', ...rows, ''].join('\r\n')}`;
    const flags = ['-n', 'play', '--file-name', '{speaker}/{id}-{row}.{ext}', '--format', 'wav'];
    expect(await world.run(['run', '-', ...flags], { env: env(), input })).toMatchObject({ code: 0 });
    const results = await world.results('play');
    expect([...results.values()].map(({ _file }) => _file)).toEqual(['media/Ann/a-1.wav', 'media/Ben/b-2.wav']);
    for (const name of ['Ann/a-1.wav', 'Ben/b-2.wav']) {
      expect((await readFile(world.path('out/play/media', name))).toString('latin1', 0, 4)).toBe('RIFF');
    }
    const bodies =
      gate.heard.match(/\{"text":"(?:Hello|Bye)\.".*?\}/g)?.map((body) => JSON.parse(body) as object) ?? [];
    expect(bodies).toHaveLength(2);
    expect(bodies).toContainEqual(
      expect.objectContaining({ text: 'Hello.', voiceId: 'anna', format: 'wav', emotion: 'glad, very', volume: 0.7 }),
    );
    expect(bodies.find((body) => !('emotion' in body))).toMatchObject({ text: 'Bye.', voiceId: 'ben', format: 'wav' });
  });

  it('the example of video dubbing is run as it was written: a job a row, charged as it was quoted', async () => {
    expect(await world.run(['init', 'video-dubbing'])).toMatchObject({ code: 0, stdout: 'video-dubbing.csv\n' });
    const before = world.simulator.ledger().length;
    expect(await world.run(['run', 'video-dubbing.csv'], { env: env() })).toMatchObject({ code: 0 });
    const charged = world.simulator.ledger().slice(before);
    expect(charged.map(({ operation }) => operation)).toEqual(['video-dubbing-job', 'video-dubbing-job']);
    const results = [...(await world.results('video-dubbing')).values()];
    expect(results.map(({ _kind, _outcome, _file }) => [_kind, _outcome, _file])).toEqual(
      ['paper-crane', 'paper-boat'].map((id) => ['video-dubbing', 'succeeded', `media/${id}.mp4`]),
    );
    const credits = results.reduce((sum, row) => sum + Number(row['_credits']), 0);
    expect(credits).toBe(charged.reduce((sum, charge) => sum + charge.credits, 0));
  });
});
