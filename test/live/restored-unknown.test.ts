/** @slow */
import { expect, it } from '@jest/globals';
import { saying } from '../support/batch-end.ts';
import { restoreBackup } from '../support/restore-backup.ts';
import { LiveWorld } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

const MANIFEST = `id,kind,text,voice,video,audio
r1,tts,First.,narrator,,
r2,tts,Second.,narrator,,
r3,tts,Lost.,narrator,,
r4,lip-sync,,,https://media.example/face.mp4,https://media.example/voice.mp3
`;

it('a restored ledger goes back to an earlier take, gets the jobs of unknown rows by name, and says what has no place now; nothing is paid for again', async () => {
  const world = await LiveWorld.open({ seed: 77, jobMs: [50, 100], config: { cache: 'off' }, server: true });
  const run = (line: string): ReturnType<LiveWorld['run']> => world.run(line.split(' '));
  await world.write('m.csv', MANIFEST);
  await world.changePlan({ rules: [{ on: 'create', match: { text: 'Lost' }, fault: 'accept-then-500' }] });
  expect(await run('run m.csv --yes')).toMatchObject({ code: 13 });
  const [lost] = world.simulator.ledger().filter(({ text }) => text === 'Lost.');
  await world.changePlan({ rules: [{ on: 'create', match: { text: 'First' }, fault: 'reset-before' }] });
  expect(await run('redrive m --rows r1 --yes')).toMatchObject({ code: 13 });
  expect(await run('backup copy')).toMatchObject({ code: 0 });

  await world.changePlan({ rules: [] });
  await run(`reconcile m --adopt r3=${lost?.jobId ?? ''}`);
  await run('redrive m --rows r2,r4 --yes');
  const paid = world.simulator.ledger().length;
  expect(paid).toBe(4 + 2);
  const files = await world.results('m');
  await restoreBackup(world);

  // The receipts have requests of other rows that the ledger lacks, but these two commands send nothing.
  expect(await run('redrive m --accept r1/1')).toMatchObject({ code: 13 });
  expect((await world.results('m')).get('r1')).toMatchObject({ _outcome: 'succeeded' });
  expect(await run('reconcile m --not-charged r1/2')).toMatchObject({ stdout: saying('not charged') });
  const { stdout } = await run('reconcile m');
  expect(stdout).not.toContain('belong to no row');
  const [, named = ''] = /free: voxbatch (reconcile m --adopt r2\/2=\S+ r3=\S+ r4\/2=[^\s.]+)/.exec(stdout) ?? [];
  const job = `r3=${lost?.jobId ?? ''}`;
  expect(named).toContain(` ${job} `);
  expect(await run(named.replace(`${job} `, ''))).toMatchObject({ code: 13 });
  const compared = await run('ledger accept-copy --compared');
  expect(compared).toMatchObject({ code: 0, stderr: saying('No longer waited for: whoever sent something') });
  expect(compared.stderr).not.toContain('without a place');
  for (const again of ['redrive m --rows r3 --resubmit --yes', 'reconcile m --resubmit r3 --yes'])
    expect(await run(again)).toMatchObject({ code: 2, stderr: saying(`free: voxbatch reconcile m --adopt ${job}.`) });
  expect(await run(`reconcile m --adopt ${job}`)).toMatchObject({ code: 0 });
  expect(await run('run m.csv --yes')).toMatchObject({ code: 0 });
  const now = await world.results('m');
  expect([...now.keys()]).toEqual(['r1', 'r2', 'r3', 'r4']);
  for (const id of ['r2', 'r3', 'r4'])
    expect(now.get(id)).toMatchObject({ _outcome: 'succeeded', _job_ids: files.get(id)?.['_job_ids'] });
  expect(now.get('r1')).toMatchObject({ _outcome: 'succeeded' });
  const { credits } = JSON.parse((await run('status m --json')).stdout) as { credits: { charged: number } };
  const charged = world.simulator.ledger().reduce((sum, one) => sum + one.credits, 0);
  expect(credits).toMatchObject({ charged: expect.closeTo(charged), reserved: 0, uncertain: 0 });
  expect(await run('verify m')).toMatchObject({ code: 0 });
  expect(world.simulator.ledger()).toHaveLength(paid);
});

it('what followed from jobs that ran when the backup was made is given to its rows once these have ended, and is not paid for again', async () => {
  const world = await LiveWorld.open({ seed: 78, jobMs: [600_000, 600_000], config: { cache: 'off' }, server: true });
  const run = (line: string): ReturnType<LiveWorld['run']> => world.run(line.split(' '));
  await world.write(
    'm.csv',
    'id,kind,text,voice,video\nr1,tts,Breaks once.,narrator,\nr2,dub,Here.,narrator,https://media.example/face.mp4\n',
  );
  await world.changePlan({
    rules: [{ on: 'create', match: { text: 'Breaks' }, times: 1, fault: 'job-fails' }],
  });
  const { ended } = world.start(['run', 'm.csv', '--yes', '--retakes', '1']);
  await waitFor(async () => (await run('status m')).stdout.includes('2 processing'));
  expect(await run('backup copy')).toMatchObject({ code: 0 });
  await world.changeSimulator({ jobMs: [50, 100] });
  expect(await ended).toMatchObject({ code: 0 });
  const paid = world.simulator.ledger().length;
  expect(paid).toBe(2 + 2);
  const files = await world.results('m');
  await restoreBackup(world);

  expect(await run('reconcile m')).toMatchObject({
    code: 75,
    stdout: saying('need the results of their present jobs'),
  });
  const { stdout } = await run('reconcile m');
  const [, named = ''] = /free: voxbatch (reconcile m --adopt r1=[^\s.]+)/.exec(stdout) ?? [];
  expect(await run(named)).toMatchObject({ code: 0 });
  await run('ledger accept-copy --compared');
  expect(await run('run m.csv --yes')).toMatchObject({ code: 0 });
  const now = await world.results('m');
  for (const [id, row] of files) expect(now.get(id)).toMatchObject({ _outcome: 'succeeded', _take: row['_take'] });
  expect(now.get('r1')?.['_job_ids']).toEqual(files.get('r1')?.['_job_ids']);
  expect(await run('verify m')).toMatchObject({ code: 0 });
  expect(world.simulator.ledger()).toHaveLength(paid);
});
