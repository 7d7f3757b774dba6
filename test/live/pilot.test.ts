import { expect, it } from '@jest/globals';
import { expectWhole } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 60;
const VOICES = ['anna', 'ben', 'cleo'];

interface PilotJson {
  readonly rows: readonly Readonly<Record<'kind' | 'voice' | 'file', string>>[];
  readonly operations: readonly {
    readonly operation: string;
    readonly rest: { readonly quoted: number; readonly expected: number };
  }[];
  readonly whole: Readonly<Record<'charged' | 'quoted' | 'expected', number>>;
}

/** 60 rows, nearly all of them speech by one voice, quoted at half of what the simulator charges for speech. */
it('a sample that pays more than was quoted shows its rows and the real price, and the rest is paid for once, whatever is killed in between', async () => {
  const world = await LiveWorld.open({
    server: true,
    ...{ seed: 12, createMs: [5, 20], jobMs: [50, 200], shape: 'speech.credits=named' },
  });
  const lines = Array.from({ length: ROWS }, (_, at) => {
    const voice = VOICES[at < 56 ? 0 : at % 3] ?? '';
    const isDub = at === 30 || at === 31;
    const video = isDub ? 'https://media.example/face.mp4?seconds=2' : '';
    return `r${String(at)},${isDub ? 'dub' : 'tts'},Line ${String(100 + at)},${voice},${video}`;
  });
  await world.write('lines.csv', `id,kind,text,voice,video\n${lines.join('\n')}\n`);
  const half = { unit: 'character', credits: 0.25, cjkFactor: 2 };
  const prices = { 'speech-job': half };
  const polling = { firstLookMs: 300, gapMs: 300 };
  await world.confirm({ prices, polling, assumeSeconds: 2 });
  const spent = (): number => world.simulator.ledger().reduce((sum, { credits }) => sum + credits, 0);

  const tried = await world.run(['run', 'lines.csv', '--sample', '5', '--json']);
  expect(tried).toMatchObject({ code: 0 });
  const { sample } = JSON.parse(tried.stdout) as { readonly sample: PilotJson };
  expect(sample).toMatchObject({ run: 5, left: ROWS - 5 });
  expect(new Set(sample.rows.map(({ kind }) => kind))).toEqual(new Set(['tts', 'dub']));
  expect(new Set(sample.rows.map(({ voice }) => voice))).toEqual(new Set(VOICES));
  for (const { file } of sample.rows) await world.read('out', 'lines', file);

  const speech = sample.operations.find(({ operation }) => operation === 'speech-job');
  expect(speech).toMatchObject({ priced_requests: 5, factor: 2, rest: { requests: ROWS - 5 } });
  expect(speech?.rest.expected).toBe(2 * (speech?.rest.quoted ?? 0));
  expect(sample.whole.charged).toBe(spent());
  expect(tried.stderr).toContain('At these prices the whole batch costs about');
  expect(tried.stderr).toMatch(
    /55 rows not chosen\. To send them, for about [\d,.]+ credits: voxbatch run lines\.csv\n/,
  );

  // A budget that the quotes would fit into, and the prices as charged do not.
  const budget = Math.ceil(sample.whole.quoted) + 5;
  const short = await world.run(['run', 'lines.csv', '--sample', '5', '--budget', String(budget)]);
  expect(short.stderr).toContain('WARNING: the budget will not reach');
  expect(spent()).toBe(sample.whole.charged);
  expect(await world.run(['run', 'lines.csv', '--budget', 'none', '--confirm', '0'])).toMatchObject({ code: 3 });

  const killed = await world.run(['run', 'lines.csv', '--budget', 'none'], { dieAt: 'after-intent:20' });
  expect(killed).toMatchObject({ signal: 'SIGKILL' });
  expect(killed.stderr).toMatch(/55 rows more to send, at a cost of ~?[\d,.]+ credits at the prices charged so far/);
  await world.run(['run', 'lines.csv']);
  const whole = await expectWhole(world, 'lines', ROWS);
  // A request that the kill cut short is never sent again unasked.
  expect(whole.unknown).toBeLessThanOrEqual(8);
  if (whole.unknown === 0) expect(spent()).toBeCloseTo(sample.whole.expected, 0);
});
