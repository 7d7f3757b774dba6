/** @slow */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { show } from '../../contract/manifest-problems.ts';
import { startSimulator } from '../../simulator/start-simulator.ts';
import { BAD_MANIFESTS } from '../inputs/bad-manifest-cases.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { Gate } from '../support/gate.ts';
import type { Ended } from '../support/live-command.ts';
import { LiveWorld } from '../support/live-world.ts';
import { mixedManifest } from '../support/mixed-manifest.ts';

const QUICK = { polling: { firstLookMs: 100, gapMs: 100 } };

let world: LiveWorld;

describe('a bad manifest', () => {
  beforeAll(async () => {
    world = await LiveWorld.open({ server: true });
  });

  // A few kinds of problem; the reader's own tests have all cases. An outcome file is refused as such, whatever else is wrong with it.
  const cases = BAD_MANIFESTS.filter(
    ([, , problems, options]) => options === undefined && !problems.includes('mixed-batches'),
  ).filter((_, at) => at % 12 === 0);

  // `plan` and `run` read a manifest by the same function, so each kind is shown to one of them.
  const named = cases.map(([what, ...bad], at) => [at % 2 === 0 ? 'run' : 'plan', what, at, ...bad] as const);
  it.each(named)('%s: %s', async (command, _, at, content, problems) => {
    const file = await world.write(`bad-${String(at)}.csv`, content);
    expectRefused(await world.run([command, file]), problems);
  });

  it('asked for no more than the list of voices, and made no record', () => expectNothingDone(world));

  it('leaves no server, which is started while the manifest is read', async () => {
    const own = await LiveWorld.open();
    const [[, content] = ['', '']] = cases;
    const file = await own.write('bad-a.csv', content);
    expect(await own.run(['run', file])).toMatchObject({ code: 2 });
    await expectNothingDone(own);
    expect(own.processes()).toEqual([]);
  });
});

async function expectNothingDone(where: LiveWorld): Promise<void> {
  const asked = Object.keys((await where.statistics()).endpoints);
  expect(asked.filter((endpoint) => endpoint !== 'GET /voices')).toEqual([]);
  expect(where.simulator.ledger()).toEqual([]);
  const left = (await readdir(where.folder)).filter((name) => !name.startsWith('bad-'));
  // The home of the server stays.
  expect(left.filter((name) => name !== '.voxbatch')).toEqual([]);
  expect(existsSync(where.path('.voxbatch', 'ledger.db'))).toBe(false);
}

function expectRefused(ended: Ended, problems: string): void {
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  const lines = ended.stderr.split('\n').filter((line) => !line.startsWith('warning: '));
  for (const [at, problem] of problems.split('; ').slice(0, 50).entries()) {
    const [line = '', column = '', code] = problem.split(' ');
    expect(lines[at]).toMatch(new RegExp(`^line ${line}[,:]`));
    if (code !== undefined) expect(lines[at]).toContain(`column ${show(column)}:`);
    expect(lines[at]).toMatch(/: expected .+; got .+/);
  }
  expect(ended.stderr).toMatch(/Nothing was sent\. Nothing was spent\..*voxbatch plan/);
}

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

  it('keeps its name from another manifest, another API and another account', async () => {
    await world.write('others.csv', mixedManifest(ROWS + 1));
    await expectTaken(['run', 'others.csv', '--name', 'lines'], /has another manifest/);

    const other = await startSimulator();
    endAfterTest(() => other.close());
    await expectTaken([...RUN, '--api-url', other.url], /ran against another API \(http:/);
    expect(other.ledger()).toEqual([]);

    await world.changeSimulator({ token: 'somebody-else' });
    await expectTaken(RUN, /belongs to another account \(user_/, { VOXBATCH_API_TOKEN: 'somebody-else' });
  });

  async function expectTaken(args: readonly string[], why: RegExp, env: NodeJS.ProcessEnv = {}): Promise<void> {
    const { code, stdout, stderr } = await world.run(args, { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(why);
    expect(stderr).toMatch(
      /Nothing was spent\. Choices:\n(?: {2}(?:voxbatch redrive|voxbatch run lines\.csv {4}goes on|export VOXBATCH_API_URL=) ?.*\n)? {2}voxbatch run \S+\.csv .*--name NEW.*\n {2}voxbatch status/,
    );
    expect(world.simulator.ledger()).toHaveLength(ROWS);
  }
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
