/** @slow */
import { expect, it } from '@jest/globals';
import { expectWhole, report, saying } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { restoreBackup } from '../support/restore-backup.ts';
import { LiveWorld } from '../support/live-world.ts';
import { sendByHand } from '../support/send-by-hand.ts';

const ROWS = 8;

/** The job that the simulator made for each row of a batch, by number: what a person reads in the account. */
function jobsOf(world: LiveWorld): Map<number, string> {
  const jobs = new Map<number, string>();
  for (const { idempotencyKey, jobId } of world.simulator.ledger()) {
    const row = /-lines-(\d+)-speech-1$/.exec(idempotencyKey ?? '')?.[1];
    if (row !== undefined && jobId !== null) jobs.set(Number(row), jobId);
  }
  return jobs;
}

const adoptions = (jobs: ReadonlyMap<number, string>): string[] =>
  [...jobs].map(([row, job]) => `r${String(row)}=${job}`);

it('jobs that a restored ledger lacks, and whose ids a person knows, are fetched and not paid for again', async () => {
  // No job ends before the ledger is lost, so the store shows nothing of it.
  const world = await LiveWorld.open({ seed: 71, jobMs: [600_000, 600_000], rows: ROWS, kinds: ['tts'], server: true });
  const run = world.start(['run', 'lines.csv', '--rate', '1', '--halt', 'never']);
  await world.untilCharged(2);
  expect(await world.run(['backup', 'copy'])).toMatchObject({ code: 0 });
  await world.untilCharged(ROWS - 2);
  await run.kill();
  const sent = await world.untilTaken();
  await restoreBackup(world, { lost: ['out'] });

  await world.changeSimulator({ jobMs: [50, 100] });
  const jobs = jobsOf(world);
  const adopt = ['reconcile', 'lines', '--adopt', ...adoptions(jobs), '--json'];
  // The backup may have a request without its answer: it is in doubt, and can be given its job, once this has begun to work.
  const { stderr } = await world.run(adopt.slice(0, -1));
  // As status says it, for `resume` refuses until then.
  expect(stderr).toMatch(/"lines" is paused[^.]*\. Its ledger is a copy that was accepted, so nothing is sent/);
  expect(stderr).not.toContain('Continue with: voxbatch resume');
  expect(await world.run(['resume', 'lines'])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(
      /requests that were sent after it was made may be missing from it\. .*compare-store, then voxbatch reconcile lines, then voxbatch ledger accept-copy --compared/,
    ),
  });
  const adopted = await world.run(adopt);
  // Fetched at once, while nothing is sent: it is paused until a person resumes it.
  expect(adopted.code).toBe(75);
  const { rows } = JSON.parse(adopted.stdout) as { rows: { id: string; is: string }[] };
  // Also those that the ledger knows: the command says of them what is so already.
  expect(rows.filter(({ is }) => is === 'adopted')).toHaveLength(sent);
  const wrong = await world.run(['reconcile', 'lines', '--adopt', `r${String(ROWS)}=${jobs.get(1) ?? ''}`]);
  expect(wrong).toMatchObject({ code: 2, stderr: saying('r1 (row 1) of batch "lines" has that job') });
  expect(world.charges().size).toBe(sent);

  expect(await world.run(['ledger', 'accept-copy', '--compared'])).toMatchObject({ code: 0 });
  await world.run(['resume', 'lines']);
  expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 0 });
  const end = await expectWhole(world, 'lines', ROWS);
  report('jobs adopted by a restored ledger', { sent, ...end });
  expect(world.doubleCharges()).toEqual([]);
  expect(end.charges).toBe(ROWS);
});

it('a row that a worker is about to send is given a job: the worker sends nothing for it', async () => {
  const world = await LiveWorld.open({ server: true, seed: 72, jobMs: [100, 300], rows: 20, kinds: ['tts'] });
  const run = world.start(['run', 'lines.csv', '--rate', '2', '--halt', 'never']);
  await world.untilCharged(2);
  // The command takes long to start on a busy machine.
  await changeRate(world, 'lines', 0.2);
  const jobId = await sendByHand(world, 19, 'by-hand');
  const adopt = ['reconcile', 'lines', '--adopt', `r19=${jobId}`];
  expect(await world.run([...adopt, '--detach'])).toMatchObject({ code: 0, stdout: saying(`has job ${jobId} now`) });
  await changeRate(world, 'lines', 20);
  expect(await run.ended).toMatchObject({ code: 0 });
  const charges = world.charges('lines');
  expect([...charges.keys()].filter((key) => /-lines-19-/.test(key))).toEqual([]);
  expect(charges.size).toBe(19);
  expect((await world.results('lines')).get('r19')).toMatchObject({ _outcome: 'succeeded', _job_ids: [jobId] });
  expect(await world.run(['verify', 'lines'])).toMatchObject({ code: 0 });
});

it('a run that is refused because receipts have more names the command that gives rows their jobs, and none of them is paid for again', async () => {
  const world = await LiveWorld.open({ seed: 73, jobMs: [50, 100], rows: ROWS, kinds: ['tts'], server: true });
  expect(await world.run(['run', 'lines.csv', '--limit', '3'])).toMatchObject({ code: 0 });
  expect(await world.run(['backup', 'copy'])).toMatchObject({ code: 0 });
  expect(await world.run(['run', 'lines.csv', '--yes'])).toMatchObject({ code: 0 });
  await restoreBackup(world, { compares: false });
  // Named at once, before anything may be sent, and again by what sends.
  const adoption =
    / have paid requests of 5 rows that the ledger lacks[.] .* free: voxbatch (reconcile lines --adopt( r\d=[\w-]+){5})[.]/;
  const [, early] = adoption.exec((await world.run(['reconcile', 'lines'])).stdout) ?? [];
  expect(await world.run(['ledger', 'accept-copy', '--compared'])).toMatchObject({ code: 0 });

  const refused = await world.run(['run', 'lines.csv', '--yes']);
  expect(refused.code).toBe(2);
  const [, named = ''] = /fetch them, free: voxbatch ([^.]*)\./.exec(refused.stderr) ?? [];
  expect(named).toBe(early);
  expect(await world.run(named.split(' '))).toMatchObject({ stdout: saying('without paying again') });
  expect(await world.run(['resume', 'lines'])).toMatchObject({ code: 0 });
  expect(await world.run(['run', 'lines.csv', '--yes'])).toMatchObject({ code: 0 });
  await expectWhole(world, 'lines', ROWS);
  expect(world.simulator.ledger()).toHaveLength(ROWS);
});
