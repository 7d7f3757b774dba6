/** @slow */
import { expect, it } from '@jest/globals';
import { report } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 300;
const VOICES = 10;
/** Rows of each of two batches that want the same. */
const MANY = 200;
const CONFIG = { polling: { firstLookMs: 200, gapMs: 200 } };
const PER_VOICE = ROWS / VOICES;

interface Sum {
  readonly rows: number;
  readonly credits: number;
}

/** What `plan --json` prints, as far as it is added up here. */
interface PlanJson {
  readonly credits: number;
  readonly reasons: Readonly<
    Record<'cached' | 'new' | 'changed' | 'again', Sum & { readonly saved: number; readonly groups: unknown }>
  >;
}

/** A catalogue of 300 lines in ten voices; `voiceOf`: another name for one of them. */
function catalogue(voiceOf: (voice: string) => string = (voice) => voice): string {
  const lines = Array.from({ length: ROWS }, (_, at) => {
    return `r${String(at)},Line number ${String(at)} of the catalogue.,${voiceOf(`voice-${String(at % VOICES)}`)}`;
  });
  return `id,text,voice\n${lines.join('\n')}\n`;
}

it("change one voice in 300 rows of 10 voices pays exactly for that voice's rows, and plan had said so, with that field and price", async () => {
  const world = await LiveWorld.open({ server: true, seed: 4, createMs: [1, 5], jobMs: [20, 60], config: CONFIG });
  await world.write('lines.csv', catalogue());
  const paid = (): number => world.simulator.ledger().length;
  const spent = (): number => world.simulator.ledger().reduce((sum, { credits }) => sum + credits, 0);
  async function plan(...args: readonly string[]): Promise<PlanJson> {
    const { code, stdout } = await world.run(['plan', 'lines.csv', '--json', ...args]);
    expect(code).toBe(0);
    return JSON.parse(stdout) as PlanJson;
  }

  const before = await plan('--name', 'monday');
  expect(before).toMatchObject({ rows: ROWS, requests: ROWS, reasons: { new: { rows: ROWS } } });
  expect(await world.run(['run', 'lines.csv', '--name', 'monday'])).toMatchObject({ code: 0 });
  expect(paid()).toBe(ROWS);
  const known = await world.run(['plan', 'lines.csv', '--name', 'monday']);
  expect(known.stdout).toContain('It is on record: 300 of 300 rows done. Nothing is left to pay for.');

  await world.write(
    'lines.csv',
    catalogue((voice) => (voice === 'voice-3' ? 'voice-99' : voice)),
  );
  const tuesday = await plan('--name', 'tuesday');
  expect(tuesday).toMatchObject({ rows: ROWS, requests: PER_VOICE, run: 'go' });
  const { cached, changed, new: fresh, again } = tuesday.reasons;
  expect([cached.rows, changed.rows, fresh.rows, again.rows]).toEqual([ROWS - PER_VOICE, PER_VOICE, 0, 0]);
  expect(changed.groups).toEqual([
    expect.objectContaining({
      last_batch: 'monday',
      changes: [{ field: 'voice', from: 'voice-3', to: 'voice-99' }],
      rows: PER_VOICE,
      credits: tuesday.credits,
    }),
  ]);
  const spentBefore = spent();
  expect(cached.saved + tuesday.credits).toBeCloseTo(before.credits, 6);

  const run = await world.run(['run', 'lines.csv', '--name', 'tuesday']);
  expect(run).toMatchObject({ code: 0 });
  expect(run.stderr).toMatch(/voice changed: voice-3 → voice-99 \(last in "monday"\) +30 /);
  const sent = world.simulator.ledger().slice(ROWS);
  expect(sent).toHaveLength(PER_VOICE);
  expect(new Set(sent.map(({ voiceId }) => voiceId))).toEqual(new Set(['voice-99']));
  expect(spent() - spentBefore).toBeCloseTo(tuesday.credits, 6);
  expect(await world.status('tuesday')).toMatchObject({
    outcomes: { succeeded: PER_VOICE, cached: ROWS - PER_VOICE },
    credits: { saved: cached.saved },
  });
  expect(await world.run(['verify', 'tuesday'])).toMatchObject({ code: 0, stderr: '' });

  // Back to the old voice: everything is there still.
  await world.write('lines.csv', catalogue());
  expect(await plan('--name', 'wednesday')).toMatchObject({
    requests: 0,
    credits: 0,
    reasons: { cached: { rows: ROWS } },
  });
  expect(await world.run(['run', 'lines.csv', '--name', 'wednesday'])).toMatchObject({ code: 0 });
  expect(paid()).toBe(ROWS + PER_VOICE);
});

it('two batches that want the same results at the same time pay once for each, also where one is killed in the middle', async () => {
  const world = await LiveWorld.open({ seed: 74, createMs: [5, 40], jobMs: [200, 1_000], config: CONFIG });
  const texts = Array.from({ length: MANY }, (_, at) => `r${String(at)},Line ${String(at)} of both.,anna`);
  await world.write('one.csv', ['id,text,voice', ...texts, ''].join('\n'));
  await world.write('two.csv', ['id,text,voice', ...texts.toReversed(), ''].join('\n'));
  const [killed, other] = [world.start(['run', 'one.csv']), world.start(['run', 'two.csv'])];
  await world.untilCharged(60);
  await killed.kill();
  const ends = [await other.ended, await world.run(['run', 'one.csv'])];
  for (const { code } of ends) expect([0, 13]).toContain(code);

  const rows = [...(await world.results('one')).values(), ...(await world.results('two')).values()];
  expect(rows).toHaveLength(2 * MANY);
  for (const row of rows) expect(['succeeded', 'cached', 'unknown']).toContain(row['_outcome']);
  // Only a result whose first answer was lost may have been paid for by the other batch, too; it is named.
  const lost = new Set(rows.filter((row) => row['_outcome'] === 'unknown').map((row) => row['text']));
  const charged = new Map<string, number>();
  for (const { text = '' } of world.simulator.ledger()) charged.set(text, (charged.get(text) ?? 0) + 1);
  expect([...charged].filter(([text, times]) => times > (lost.has(text) ? 2 : 1))).toEqual([]);
  expect(charged.size).toBe(MANY);
  for (const batch of ['one', 'two']) expect([0, 13]).toContain((await world.run(['verify', batch])).code);
  report('two batches', { charges: world.simulator.ledger().length, lost: lost.size });
});
