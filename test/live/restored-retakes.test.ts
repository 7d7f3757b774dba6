/** @slow */
import { expect, it } from '@jest/globals';
import { saying } from '../support/batch-end.ts';
import { restoreBackup } from '../support/restore-backup.ts';
import { LiveWorld } from '../support/live-world.ts';

it('a take that a restored ledger lacks, and whose row was edited for it, is followed by no retake of the former text', async () => {
  const world = await LiveWorld.open({ seed: 81, jobMs: [50, 100], config: { cache: 'off' }, server: true });
  const run = (line: string): ReturnType<LiveWorld['run']> => world.run(line.split(' '));
  await world.write('g.csv', 'id,text,voice\nv1,The former text.,narrator\n');
  await world.write('edited.csv', 'id,text,voice\nv1,Edited and broken.,narrator\n');
  await world.changePlan({ rules: [{ on: 'create', match: { text: 'broken' }, fault: 'job-fails' }] });
  expect(await run('run g.csv --retakes 1 --yes')).toMatchObject({ code: 0 });
  await run('backup copy');
  await run('redrive g --from edited.csv --yes');
  const jobs = world.simulator.ledger().map(({ jobId }) => jobId ?? '');
  expect(jobs).toHaveLength(1 + 2);
  await restoreBackup(world, { lost: ['out/g'] });
  await run('reconcile g');

  // The account shows a failed job of the row.
  expect(await run(`reconcile g --adopt v1/2=${jobs[1] ?? ''}`)).toMatchObject({ stdout: saying('as take 2') });
  await run('ledger accept-copy --compared');
  await run('resume g');
  expect(await run('run g.csv --yes')).toMatchObject({ code: 0 });
  expect((await world.results('g')).get('v1')).toMatchObject({ _outcome: 'succeeded' });
  expect(world.simulator.ledger()).toHaveLength(jobs.length);
});
