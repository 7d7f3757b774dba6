import { describe, expect, it } from '@jest/globals';
import type { FaultPlan } from '../../simulator/fault-plan.ts';
import { report, saying } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

/** Lost creates and other jobs in the list; `VOXBATCH_FULL=1` takes the numbers that are promised. */
const [LOST, FOREIGN] = process.env['VOXBATCH_FULL'] === '1' ? [100, 500] : [12, 70];

/** Every answer to a create of the batch is lost, and so is the way to the list. */
const LOSES_ALL: FaultPlan = {
  rules: [
    { on: 'create', operation: 'lip-sync-job', match: { text: '//ours.example' }, fault: 'reset-after' },
    { on: 'list', fault: { kind: 'status', status: 403 } },
  ],
};

interface Reconciled {
  readonly rows: readonly { readonly id: string; readonly is: string; readonly job_id: string | null }[];
  readonly orphans: readonly { readonly job_id: string; readonly created_at: string | null }[];
}

let world: LiveWorld;

/** A batch of so many rows that all have ended unknown, among so many jobs of another program. */
async function loseAll(rows: number, foreign: number): Promise<void> {
  world = await LiveWorld.open({ server: true, seed: 62, plan: LOSES_ALL, jobMs: [200, 400], rows: 0 });
  const lines = Array.from(
    { length: rows },
    (_, n) => `r${String(n + 1)},${url(`ours.example/${String(n)}.mp4`)},${url(`ours.example/${String(n)}.mp3`)}`,
  );
  await world.write('lines.csv', `${['id,video,audio', ...lines].join('\n')}\n`);
  await createForeign(Math.floor(foreign / 2), 'before');
  expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 13, stderr: saying('voxbatch reconcile lines') });
  await createForeign(Math.ceil(foreign / 2), 'after');
  expect(charged()).toHaveLength(rows);
}

const url = (place: string): string => `https://${place}?seconds=2`;

async function createForeign(count: number, when: string): Promise<void> {
  for (let n = 0; n < count; n++) {
    const name = `${when}-${String(n)}`;
    const answer = await fetch(`${world.simulator.url}/media/lip-sync/jobs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.simulator.token}`,
        'content-type': 'application/json',
        'idempotency-key': `foreign-${name}`,
        connection: 'close',
      },
      body: JSON.stringify({ videoUrl: url(`other.example/${name}.mp4`), audioUrl: url(`other.example/${name}.mp3`) }),
    });
    expect(answer.ok).toBe(true);
  }
}

/** What was charged for the batch: row and take, with the job. */
function charged(): readonly { readonly row: number; readonly take: number; readonly jobId: string | null }[] {
  return world.simulator.ledger().flatMap(({ idempotencyKey, jobId }) => {
    const match = /-lines-(\d+)-lip-sync-(\d+)$/.exec(idempotencyKey ?? '');
    return match === null ? [] : [{ row: Number(match[1]), take: Number(match[2]), jobId }];
  });
}

/** The job that the simulator made for the row. */
const jobOf = (row: number): string => charged().find((one) => one.row === row)?.jobId ?? '';

/** Rows that have a job which was made for another row, or by another program. */
async function wrongAdoptions(): Promise<string[]> {
  const rows = await world.results('lines');
  return [...rows.values()].flatMap((row) =>
    (row['_job_ids'] as string[])
      .filter((jobId) => !charged().some((one) => one.jobId === jobId && one.row === row['_row']))
      .map((jobId) => `${String(row['id'])} has ${jobId}`),
  );
}

async function outcomes(): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const row of (await world.results('lines')).values()) {
    const outcome = String(row['_outcome']);
    counted[outcome] = (counted[outcome] ?? 0) + 1;
  }
  return counted;
}

describe('reconcile', () => {
  it('adopts every lost create from a list that echoes the inputs, among other programs’ jobs, and pays nothing', async () => {
    await loseAll(LOST, FOREIGN);
    await world.changePlan({ rules: [], echoInputs: true });
    const since = performance.now();
    const { code, stdout } = await world.run(['reconcile', 'lines', '--json']);
    report('reconcile, echoed', {
      lost: LOST,
      foreign: FOREIGN,
      seconds: Math.round((performance.now() - since) / 1_000),
    });
    expect(code).toBe(0);
    const { rows, orphans } = JSON.parse(stdout) as Reconciled;
    expect(rows.filter(({ is }) => is === 'adopted')).toHaveLength(LOST);
    expect(orphans).toHaveLength(FOREIGN);
    expect(await outcomes()).toEqual({ succeeded: LOST });
    expect(charged()).toHaveLength(LOST);
    expect(await wrongAdoptions()).toEqual([]);
    expect(await world.run(['verify', 'lines'])).toMatchObject({ code: 0 });
    // Again: there is nothing to settle.
    expect(await world.run(['reconcile', 'lines'])).toMatchObject({ code: 0, stdout: saying('has no unknown row') });
  });

  it('adopts nothing from a list that does not echo them where more than one job fits; a person can', async () => {
    await loseAll(LOST, FOREIGN);
    await world.changePlan({ rules: [], echoInputs: false });
    const looked = await world.run(['reconcile', 'lines', '--json']);
    expect(looked.code).toBe(13);
    const { rows, orphans } = JSON.parse(looked.stdout) as Reconciled;
    expect(rows.filter(({ is }) => is !== 'still-unknown')).toEqual([]);
    expect(orphans).toHaveLength(LOST + FOREIGN);

    const adopted = await world.run(['reconcile', 'lines', '--adopt', `r1=${jobOf(1)}`, `2=${jobOf(2)}`]);
    expect(adopted).toMatchObject({ code: 13, stdout: saying(`r1 (row 1): has job ${jobOf(1)} now`) });
    expect(await outcomes()).toEqual({ succeeded: 2, unknown: LOST - 2 });
    for (const [jobId, why] of [
      [jobOf(1), 'r1 (row 1) of batch "lines" has that job'],
      ['no-such-job', 'the API has no lip-sync job of that id'],
    ] as const) {
      expect(await world.run(['reconcile', 'lines', '--adopt', `r3=${jobId}`])).toMatchObject({
        code: 2,
        stderr: saying(why),
      });
    }
    expect(charged()).toHaveLength(LOST);

    expect(await world.run(['reconcile', 'lines', '--resubmit', 'r3', 'r4'])).toMatchObject({
      code: 3,
      stderr: saying('run the same command with --yes'),
    });
    expect(await world.run(['reconcile', 'lines', '--resubmit', 'r3', 'r4', '--yes'])).toMatchObject({
      code: 13,
      stderr: saying('may be charged twice for one result'),
    });
    // They go out together.
    const paidAgain = charged()
      .slice(LOST)
      .toSorted((one, other) => one.row - other.row);
    expect(paidAgain).toMatchObject([
      { row: 3, take: 2 },
      { row: 4, take: 2 },
    ]);
    expect(await outcomes()).toEqual({ succeeded: 4, unknown: LOST - 4 });
    expect(await wrongAdoptions()).toEqual([]);
    expect(await world.run(['verify', 'lines'])).toMatchObject({ code: 0 });
  });

  it('offers the one job of a list that echoes nothing, and takes it when a person says so', async () => {
    await loseAll(1, 0);
    await world.changePlan({ rules: [], echoInputs: false });
    const looked = await world.run(['reconcile', 'lines', '--json']);
    expect(looked.code).toBe(13);
    const { orphans } = JSON.parse(looked.stdout) as Reconciled;
    expect(orphans).toHaveLength(1);
    expect(await world.run(['reconcile', 'lines', '--adopt', `r1=${jobOf(1)}`])).toMatchObject({ code: 0 });
    expect(charged()).toHaveLength(1);
    expect(await wrongAdoptions()).toEqual([]);
  });
});
