/** @slow */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LiveWorld, type Ended } from '../support/live-world.ts';

/** The result cache on the real server; charges are counted in the simulator. */

const ROWS = 12;
const CONFIG = JSON.stringify({ polling: { firstLookMs: 200, gapMs: 200 }, assumeSeconds: 2 });

/** What the rows say: a quote, a delimiter, a line break, and a character that can be written in two ways. */
const TEXTS = Array.from({ length: ROWS }, (_, at) => `Caf\u00e9 ${String(at)}; "quoted", and so on`);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** A manifest with these cells in front of each row. */
function table(texts: readonly string[], { delimiter = ',', end = '\n', more = '' } = {}): string {
  const header = ['text', 'voice', ...(more === '' ? [] : ['note'])].join(delimiter);
  const lines = texts.map((text) => [quoted(text), 'anna', ...(more === '' ? [] : [more])].join(delimiter));
  return [header, ...lines, ''].join(end);
}

/** The lines of the results of a batch whose rows have no ids of their own. */
async function rowsOf(world: LiveWorld, batch: string): Promise<readonly Record<string, unknown>[]> {
  const lines = (await world.read('out', batch, 'results.jsonl')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function outcomesOf(world: LiveWorld, batch: string): Promise<readonly unknown[]> {
  return (await rowsOf(world, batch)).map((row) => row['_outcome']);
}

describe('a batch of what another batch has made', () => {
  let world: LiveWorld;
  beforeAll(async () => {
    world = await LiveWorld.withServer({ seed: 71, createMs: [5, 20], jobMs: [50, 200] });
    await world.confirm(CONFIG);
    await world.write('first.csv', table(TEXTS));
    expect(await world.run(['run', 'first.csv'])).toMatchObject({ code: 0 });
    expect(world.simulator.ledger()).toHaveLength(ROWS);
  });
  afterAll(() => world.close());

  async function expectCached(file: string, flags: readonly string[] = []): Promise<Ended> {
    const paid = world.simulator.ledger().length;
    const ended = await world.run(['run', file, ...flags]);
    expect(ended).toMatchObject({ code: 0 });
    const batch = file.replace(/\.[a-z]+$/, '');
    expect(await outcomesOf(world, batch)).toEqual(TEXTS.map(() => 'cached'));
    expect(world.simulator.ledger()).toHaveLength(paid);
    expect(await world.run(['verify', batch])).toMatchObject({ code: 0 });
    return ended;
  }

  it('costs nothing either where nothing may be paid for, and says which row each result came from', async () => {
    await world.write('only.csv', table(TEXTS));
    await expectCached('only.csv', ['--cached-only']);
    const { stdout } = await world.run(['explain', '1', '--batch', 'only']);
    expect(stdout).toMatch(/result: that of the speech of row \d+ of batch "/);
  });
});

describe('two batches that want the same results at the same time', () => {
  const MANY = 200;

  it('pay once for each, also where one is killed in the middle', async () => {
    const world = await LiveWorld.create({ seed: 74, createMs: [5, 40], jobMs: [200, 1_000] });
    try {
      await world.confirm(CONFIG);
      const texts = Array.from({ length: MANY }, (_, at) => `Line ${String(at)} of both.`);
      await world.write('one.csv', table(texts));
      await world.write('two.csv', table(texts.toReversed()));
      const [killed, other] = [world.start(['run', 'one.csv']), world.start(['run', 'two.csv'])];
      await world.untilCharged(60);
      killed.child.kill('SIGKILL');
      await killed.ended;
      const ends = [await other.ended, await world.run(['run', 'one.csv'])];
      for (const { code } of ends) expect([0, 13]).toContain(code);

      const rows = [...(await rowsOf(world, 'one')), ...(await rowsOf(world, 'two'))];
      expect(rows).toHaveLength(2 * MANY);
      const unknown = rows.filter((row) => row['_outcome'] === 'unknown');
      for (const row of rows) expect(['succeeded', 'cached', 'unknown']).toContain(row['_outcome']);
      // Only a result whose first answer was lost may have been paid for by the other batch, too; it is named.
      const lost = new Set(unknown.map((row) => row['text']));
      const charged = new Map<string, number>();
      for (const { text = '' } of world.simulator.ledger()) charged.set(text, (charged.get(text) ?? 0) + 1);
      const twice = [...charged].filter(([text, times]) => times > (lost.has(text) ? 2 : 1));
      expect(twice).toEqual([]);
      expect(charged.size).toBe(MANY);
      expect(world.doubleCharges()).toEqual([]);
      for (const batch of ['one', 'two']) {
        expect([0, 13]).toContain((await world.run(['verify', batch])).code);
      }
      process.stderr.write(
        `two batches: ${String(world.simulator.ledger().length)} charges, ${String(lost.size)} lost\n`,
      );
    } finally {
      await world.close();
    }
  });
});
