/** @slow */
import { expect, it } from '@jest/globals';
import type { FaultPlan, LedgerEntry } from '../../simulator/start-simulator.ts';
import { report } from '../support/batch-end.ts';
import { changeRate, untilSentBy } from '../support/batch-record.ts';
import { openCluster } from '../support/cluster.ts';
import type { LiveWorld, WorldOptions } from '../support/live-world.ts';
import { sendByHand } from '../support/send-by-hand.ts';

/** A smaller batch would be the work of one worker. */
const ROWS = 56;
/** Rows that were sent by a process whose ledger is lost: the one that was restored says that they never were. */
const LOST = Array.from({ length: 40 }, (_, at) => 9 + at);
const BY_HAND = 'by-hand-';

/** The charge of each row: that of its only job. */
async function chargesOfRows(world: LiveWorld): Promise<readonly LedgerEntry[]> {
  const byJob = new Map(world.simulator.ledger().map((charge) => [charge.jobId, charge]));
  const results = await world.results('lines');
  return [...results.values()].map(({ id, _job_ids: ids }) => {
    const [job = '', ...others] = ids as readonly string[];
    const charge = byJob.get(job);
    if (charge === undefined || others.length > 0) throw new Error(`${String(id)} has jobs ${String(ids)}`);
    return charge;
  });
}

it('two people give rows their jobs while two workers send them: each row is sent or has one of these jobs, and the sum is that of the account', async () => {
  // Between a person's look at a job and the record of it, a worker begins to send the row.
  const plan: FaultPlan = { rules: [{ on: 'read', fault: { kind: 'late', ms: 150 } }] };
  const options: WorldOptions = { seed: 74, plan, createMs: [100, 400], jobMs: [100, 500], rows: ROWS, kinds: ['tts'] };
  const { world, env, workers } = await openCluster(options, 2);
  const run = world.start(['run', 'lines.csv', '--rate', '1', '--halt', 'never', '--yes'], { env });
  await untilSentBy(world, 'lines', 2);
  // Rows are to be left when the people come, whose commands take long to start on a busy machine.
  await changeRate(world, 'lines', 0.2);
  const jobs = new Map<number, string>();
  for (const row of LOST) jobs.set(row, await sendByHand(world, row, `${BY_HAND}${String(row)}`));
  const adopting = (rows: readonly number[], jobOf: (row: number) => number = (row) => row): string[] => [
    ...['reconcile', 'lines', '--detach', '--json', '--adopt'],
    ...rows.map((row) => `r${String(row)}=${jobs.get(jobOf(row)) ?? ''}`),
  ];
  // They disagree on odd rows, two of which have each other's job by the second person.
  const exchanged = (row: number): number => (row % 2 === 0 ? row : row + (row % 4 === 1 ? 2 : -2));
  const people = [adopting(LOST), adopting([...LOST.slice(20), ...LOST.slice(0, 20)], exchanged)];
  const decisions = people.map((args) => world.start(args, { env }).ended);
  // A row that was given its job has no sender, which counts as one more.
  await untilSentBy(world, 'lines', 3);
  await changeRate(world, 'lines', 4);
  for (const { stdout } of await Promise.all(decisions))
    expect((JSON.parse(stdout) as { readonly rows: unknown }).rows).toHaveLength(LOST.length);
  await changeRate(world, 'lines', null);
  expect(await run.ended).toMatchObject({ code: 0 });

  const charges = await chargesOfRows(world);
  expect([charges.length, new Set(charges).size]).toEqual([ROWS, ROWS]);
  const isByHand = ({ idempotencyKey }: LedgerEntry): boolean => idempotencyKey?.startsWith(BY_HAND) === true;
  const adopted = charges.filter(isByHand).length;
  const sent = world.simulator.ledger().filter((charge) => !isByHand(charge)).length;
  expect(adopted + sent).toBe(ROWS);
  // Or nobody was in anybody's way.
  expect(Math.min(adopted, sent)).toBeGreaterThan(4);
  const charged = charges.reduce((sum, { credits }) => sum + credits, 0);
  const summary = JSON.parse(await world.read('out', 'lines', 'summary.json')) as { readonly credits: unknown };
  expect(summary.credits).toMatchObject({ charged, reserved: 0, uncertain: 0 });
  report('two people adopt while two workers send', { sent, adopted, charged });
  expect(await world.run(['verify', 'out/lines'], { env })).toMatchObject({ code: 0 });
  await Promise.all(workers.map((worker) => worker.endInOrder()));
});
