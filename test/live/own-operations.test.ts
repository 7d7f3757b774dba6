import { beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/free-port.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { LiveWorld } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

/**
 * An operation of a user's own, which only the configuration of a folder names. The simulator of these tests runs in a process of
 * its own, because an operation is known to a process for good.
 */

const EFFECT = {
  name: 'sound-effect',
  path: '/sound/effects/jobs',
  answer: 'job',
  result: 'audio',
  columns: { prompt: { field: 'prompt' }, loudness: { field: 'loudnessDb', cell: 'number', optional: true } },
  price: { unit: 'job', credits: 12 },
};
/** Answers with the media themselves, and is charged by the length of what is sent. */
const CLEAN = {
  name: 'clean-up',
  path: '/sound/clean',
  answer: 'direct',
  result: 'audio',
  columns: { audio: { field: 'audioUrl' } },
  price: { unit: 'second', credits: 2 },
};
/** Is charged by a number of the row, and reads a column of numbers that voxbatch has. */
const TONE = {
  name: 'tone',
  path: '/sound/tones/jobs',
  answer: 'job',
  result: 'audio',
  columns: {
    prompt: { field: 'prompt' },
    length: { field: 'lengthSeconds', cell: 'number' },
    speed: { field: 'speed' },
  },
  price: { unit: 'number', column: 'length', credits: 0.5 },
};
const ROWS = 12;
const MANIFEST = [
  'id,kind,prompt,loudness,audio,duration,text,voice,length,speed',
  ...Array.from({ length: ROWS }, (_, at) => `e${String(at)},sound-effect,Rain ${String(at)},${String(at)},,,,,,`),
  'clean,clean-up,,,https://media.example/speech.mp3?seconds=4,4,,,,',
  'tone,tone,A sine of 440 Hz,,,,,,2.6,1.5',
  'hello,tts,,,,,Hello there!,voice-1,,',
].join('\n');

interface Charge {
  readonly operation: string;
  readonly credits: number;
  readonly idempotencyKey: string;
}

let world: LiveWorld;
let origin: string;
let env: NodeJS.ProcessEnv;
const configOf = (...operations: readonly object[]): object => ({
  operations,
  polling: { firstLookMs: 100, gapMs: 200 },
});
const charges = async (): Promise<readonly Charge[]> =>
  (await (await fetch(`${origin}/__simulator/ledger`)).json()) as readonly Charge[];

beforeAll(async () => {
  world = await LiveWorld.open({ config: configOf(EFFECT, CLEAN, TONE) });
  const port = await freePort();
  origin = `http://127.0.0.1:${String(port)}`;
  env = { VOXBATCH_API_URL: `${origin}/api/open/v1` };
  await world.write('effects.csv', MANIFEST);
  const simulator = world.start(['simulate', '--port', String(port), '--job-ms', '300-900', '--seed', '3']);
  endAfterTest(async () => {
    simulator.child.kill('SIGINT');
    await simulator.ended;
  });
  await waitFor(async () => (await fetch(`${origin}/api/openapi.json`).catch(() => undefined))?.ok === true);
});

describe('an operation of a user', () => {
  it('is planned without being confirmed, and bought only once it is', async () => {
    const planned = await world.run(['plan', 'effects.csv'], { env });
    expect(planned.code).toBe(0);
    expect(planned.stdout).toMatch(/sound-effect +12 +12 +144 /);
    expect(planned.stdout).toMatch(/clean-up +1 +1 +8 /);
    expect(planned.stdout).toMatch(/tone +1 +1 +1\.3 /);
    expect(planned.stdout).toContain('tone 0.5 credits per unit of its number column');
    const refused = await world.run(['run', 'effects.csv', '--yes'], { env });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toMatch(/operations: .*sound-effect/);
    expect(await charges()).toEqual([]);
    await world.confirm(configOf(EFFECT, CLEAN, TONE));
  });

  it('is not bought by a number that has no price', async () => {
    await world.write('tones.csv', 'id,kind,prompt,length,speed\na,tone,Below zero,-1,1\nb,tone,Nothing,,1\n');
    const refused = await world.run(['plan', 'tones.csv'], { env });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toMatch(/line 2, id a, column length: expected a number from 0 to 1000000000/);
    expect(refused.stderr).toMatch(/line 3, id b, column length/);
  });

  it('is charged once a row, whatever ends in between', async () => {
    const killed = await world.run(['run', 'effects.csv', '--yes'], { env, dieAt: 'after-intent:5' });
    expect(killed.signal).toBe('SIGKILL');
    await world.run(['run', 'effects.csv', '--yes'], { env });
    const results = [...(await world.results('effects')).values()];
    const endedAs = (outcome: string): number => results.filter(({ _outcome }) => _outcome === outcome).length;
    // No list is asked for such jobs, so what was in doubt at the kill stays so.
    expect(endedAs('succeeded') + endedAs('unknown')).toBe(ROWS + 3);
    expect(endedAs('succeeded')).toBeGreaterThan(ROWS / 2);
    const made = results.find(({ _kind, _outcome }) => _kind === 'sound-effect' && _outcome === 'succeeded');
    expect(made).toMatchObject({ _credits: 12, _file: `media/${String(made?.['id'])}.mp3` });
    const rows = (await charges()).map(({ idempotencyKey }) => /-effects-(\d+)-/.exec(idempotencyKey)?.[1]);
    expect(new Set(rows).size).toBe(rows.length);
    expect((await charges()).find(({ operation }) => operation === 'clean-up')?.credits).toBe(8);
    expect((await charges()).find(({ operation }) => operation === 'tone')?.credits).toBe(1.3);
  });

  it('needs no configuration to be looked at', async () => {
    await world.write('none.json', '{}');
    const bare = { env: { ...env, VOXBATCH_CONFIG: world.path('none.json') } };
    const looks = [
      ['status', 'effects'],
      ['explain', 'effects', 'e3'],
      ['verify', 'out/effects'],
    ];
    // 13: some rows are unknown.
    for (const args of looks) expect([0, 13]).toContain((await world.run(args, bare)).code);
    expect((await world.run(['explain', 'effects', 'e11'], bare)).stdout).toMatch(/sound-effect, take 1/);
  });

  it('is not sent for a batch that was made with another one of its name', async () => {
    await world.write('other.csv', 'id,prompt\nwind,Wind\nhail,Hail\n');
    const slow = { env: { ...env, VOXBATCH_CONFIG: world.path('voxbatch.config.json') } };
    const run = ['run', 'other.csv', '--kind', 'sound-effect', '--yes'];
    const first = await world.run([...run, '--submits', '1'], { ...slow, dieAt: 'after-intent:1' });
    expect(first.signal).toBe('SIGKILL');
    const before = (await charges()).length;
    await world.write('changed.json', JSON.stringify(configOf({ ...EFFECT, path: '/sound/other' })));
    const changed = { env: { ...env, VOXBATCH_CONFIG: world.path('changed.json') } };
    const refused = await world.run(run, changed);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toMatch(/"other" was made with another operation "sound-effect"/);
    expect(await charges()).toHaveLength(before);
    await world.run(run, slow);
    expect((await world.results('other')).get('hail')).toMatchObject({ _outcome: 'succeeded' });
    expect(await charges()).toHaveLength(before + 1);
  });
});
