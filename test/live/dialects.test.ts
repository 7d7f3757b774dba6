/** @slow */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FaultPlan } from '../../simulator/start-simulator.ts';
import { expectWhole } from '../support/batch-end.ts';
import { followWalk, type WalkEnd } from '../support/guide-walk.ts';
import type { Ended } from '../support/live-command.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 24;
/** A few of `npm run chaos -- faults`: those that heal, and those that leave a row in doubt. */
const FAULTS: FaultPlan = {
  echoInputs: true,
  rules: [
    { on: 'create', match: { nth: 3 }, fault: 'reset-after' },
    { on: 'create', match: { nth: 5 }, fault: { kind: 'status', status: 429, retryAfter: 1 } },
    { on: 'create', match: { nth: 7 }, fault: 'accept-then-500' },
    { on: 'create', match: { nth: 9 }, fault: { kind: 'status', status: 503 } },
    { on: 'list', match: { nth: 1 }, fault: 'reset-before' },
    { on: 'read', match: { nth: 2 }, fault: 'cut' },
    { on: 'read', match: { nth: 4 }, fault: { kind: 'status', status: 500 } },
    { on: 'download', match: { nth: 1 }, fault: 'dead-link' },
    { on: 'download', match: { nth: 3 }, fault: 'wrong-length' },
  ],
};

let world: LiveWorld;
beforeAll(async () => {
  const kinds = ['tts', 'lip-sync', 'stt'];
  world = await LiveWorld.open({
    ...{ server: true, seed: 12, createMs: [20, 60], jobMs: [200, 600] },
    plan: FAULTS,
    rows: ROWS,
    kinds,
  });
});

describe('a batch of which half the rows speak the legacy dialect, killed in the middle, while the API lies', () => {
  let ended: Ended;
  beforeAll(async () => {
    const run = world.start(['run', 'lines.csv', '--api-dialect', 'legacy=50%']);
    await world.untilCharged(ROWS / 2);
    await run.kill();
    // The same file again needs no flag.
    ended = await world.run(['run', 'lines.csv']);
  });

  it('nothing is lost, and nothing is charged twice', async () => {
    const { unknown } = await expectWhole(world, 'lines', ROWS);
    expect(ended.code).toBe(unknown > 0 ? 13 : 0);
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
});

describe('the walk of the guide to moving', () => {
  let walked: WalkEnd;
  beforeAll(async () => {
    const config = world.path(
      await world.write('config.json', JSON.stringify({ polling: { firstLookMs: 200, gapMs: 200 } })),
    );
    walked = await followWalk(
      world.folder,
      { page: 'docs/guide/moving.md', heading: 'From an empty folder', end: 'kill %1' },
      { VOXBATCH_HOME: world.path('.voxbatch'), VOXBATCH_CONFIG: config },
    );
  });

  /** The dialects in which the rows of a batch were paid for, and how many in each. */
  const paidFor = (batch: string): Readonly<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const { idempotencyKey, dialect = 'v1' } of walked.paid)
      if (idempotencyKey?.includes(`-${batch}-`) === true) counts[dialect] = (counts[dialect] ?? 0) + 1;
    return counts;
  };

  it('only reads, then finds parity after a sample, a share, all, and back', () => {
    expect(walked.stdout).toMatch(/Both say the same\. Nothing was changed\. Nothing was spent\./);
    expect(walked.stdout.match(/^Parity within the tolerances\.$/gm)).toHaveLength(4);
    expect(walked.stdout).toContain('"all" (legacy) beside "back" (v1)');
    // Each request of the first comparison is on record, in both dialects.
    expect(walked.stderr).toMatch(/ v1 {6}GET \/profile {2}200 /);
    expect(walked.stderr).toMatch(/ legacy {2}GET \/api\/open\/profile {2}200 /);
  });

  it('pays in the dialect that was asked for, and after the samples once for each row and dialect', () => {
    expect([paidFor('sample-v1'), paidFor('sample-legacy')]).toEqual([{ v1: 5 }, { legacy: 5 }]);
    expect(walked.stdout).toMatch(/By the legacy paths of the API: [1-7] of 8 rows/);
    // The samples are reused by the share, and all that is there by the way back.
    expect([paidFor('share'), paidFor('all'), paidFor('back')]).toEqual([{ v1: 3 }, { legacy: 3 }, {}]);
    const keys = walked.paid.map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
