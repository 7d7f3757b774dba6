import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectWhole } from '../support/batch-end.ts';
import { LiveWorld, type Ended } from '../support/live-world.ts';

const ROWS = 24;

describe('a batch of which half the rows speak the legacy dialect, killed in the middle', () => {
  let world: LiveWorld;
  let ended: Ended;
  beforeAll(async () => {
    world = await LiveWorld.create({ seed: 12, createMs: [20, 60], jobMs: [200, 600], plan: { echoInputs: true } });
    await world.prepare(ROWS, ['tts', 'lip-sync', 'stt']);
    const run = world.start(['run', 'lines.csv', '--api-dialect', 'legacy=50%']);
    await world.untilCharged(ROWS / 2);
    run.child.kill('SIGKILL');
    await run.ended;
    // The same file again needs no flag.
    ended = await world.run(['run', 'lines.csv']);
  });
  afterAll(() => world.close());

  it('nothing is lost, and nothing is charged twice', async () => {
    const { unknown } = await expectWhole(world, 'lines', ROWS);
    expect(ended.code).toBe(unknown > 0 ? 13 : 0);
    expect(world.doubleCharges()).toEqual([]);
  });

  it('each row stays in one dialect, and its receipts say in which', async () => {
    const lines = (await world.read('out', 'lines', 'receipts.jsonl')).trim().split('\n');
    const receipts = lines.map((line) => JSON.parse(line) as { row: number; id: string; api_dialect: string });
    const dialectOf = new Map(receipts.map(({ row, api_dialect: dialect }) => [row, dialect]));
    expect(receipts.filter(({ row, api_dialect: dialect }) => dialectOf.get(row) !== dialect)).toEqual([]);
    const rows = await world.results('lines');
    const kindsIn = (dialect: string): readonly string[] => [
      ...new Set(receipts.filter((one) => one.api_dialect === dialect).map(({ id }) => String(rows.get(id)?.['kind']))),
    ];
    // The legacy paths have no transcription.
    expect(kindsIn('legacy').toSorted()).toEqual(['lip-sync', 'tts']);
    expect(kindsIn('v1')).toContain('stt');
    // What the service says it was asked on which paths.
    const charged = world.simulator.ledger().map(({ idempotencyKey, dialect = 'v1' }) => {
      const row = Number(/-lines-(\d+)-/.exec(idempotencyKey ?? '')?.[1]);
      return { row, dialect, said: dialectOf.get(row) };
    });
    expect(charged.filter(({ dialect, said }) => said !== dialect)).toEqual([]);
    expect(charged.length).toBeGreaterThanOrEqual(ROWS / 2);
  });

  it('another dialect is refused, with words, and nothing is spent', async () => {
    const before = world.simulator.ledger().length;
    const { code, stderr } = await world.run(['run', 'lines.csv', '--api-dialect', 'v1']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /"lines" is taken by a batch that speaks to the API with --api-dialect legacy=50%, for good/,
    );
    expect(world.simulator.ledger()).toHaveLength(before);
  });

  it('rows that the legacy paths lack are named with their lines before anything is spent', async () => {
    const { code, stderr } = await world.run(['plan', 'lines.csv', '--name', 'other', '--api-dialect', 'legacy']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/expected a kind that the legacy paths of the API have: .*stt rows need --api-dialect v1/);
  });
});
