/** @slow */
import { describe, expect, it } from '@jest/globals';
import { LiveWorld } from '../support/live-world.ts';
const CONFIG = JSON.stringify({ polling: { firstLookMs: 200, gapMs: 200 }, assumeSeconds: 2 });

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
