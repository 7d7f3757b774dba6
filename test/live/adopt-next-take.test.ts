/** @slow */
import { expect, it } from '@jest/globals';
import { cp, rm } from 'node:fs/promises';
import { saying } from '../support/batch-end.ts';
import { restoreBackup } from '../support/restore-backup.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = ['fine', 'good', 'broken', 'well', 'broken too', 'ok'];
const MANIFEST = `id,kind,text,voice\n${ROWS.map((text, at) => `r${String(at + 1)},tts,${text},narrator`).join('\n')}\n`;

it('the takes that a restored ledger lacks are given their jobs by the command that reconcile names, and none is paid for again', async () => {
  const world = await LiveWorld.open({ seed: 74, jobMs: [50, 100], config: { cache: 'off' }, server: true });
  await world.write('g.csv', MANIFEST);
  await world.changePlan({
    rules: [{ on: 'create', operation: 'speech-job', match: { text: 'broken' }, fault: 'job-fails' }],
  });
  expect(await world.run(['run', 'g.csv'])).toMatchObject({ code: 10 });
  expect(await world.run(['backup', 'copy'])).toMatchObject({ code: 0 });

  await world.changePlan({ rules: [] });
  const failed = await world.read('out', 'g', 'failed.csv');
  await world.write('out/g/failed.csv', failed.replaceAll('broken', 'mended'));
  expect(await world.run(['run', 'out/g/failed.csv', '--yes'])).toMatchObject({ code: 0 });
  expect(await world.run(['redrive', 'g', '--rows', 'r2', '--yes'])).toMatchObject({ code: 0 });
  const paid = world.simulator.ledger().length;
  expect(paid).toBe(ROWS.length + 3);
  const billOf = async (): Promise<unknown> => {
    const { stdout } = await world.run(['status', 'g', '--json']);
    return (JSON.parse(stdout) as { credits: unknown }).credits;
  };
  const bill = await billOf();
  const files = await world.results('g');

  await restoreBackup(world);
  const { stdout } = await world.run(['reconcile', 'g']);
  const [, named = ''] = /free: voxbatch (reconcile g --adopt( r[235]\/2=[\w-]+){3})[.]/.exec(stdout) ?? [];
  expect(stdout).toContain(named);
  const { receipt_jobs: jobs } = JSON.parse((await world.run(['reconcile', 'g', '--json'])).stdout) as {
    receipt_jobs: unknown;
  };
  expect(jobs).toMatchObject([2, 3, 5].map((row) => ({ row, id: `r${String(row)}`, take: 2 })));
  expect(await world.run(['redrive', 'g', '--where', 'outcome=failed', '--yes'])).toMatchObject({
    code: 2,
    stderr: saying(named),
  });

  const adopted = await world.run(named.split(' '));
  expect(adopted).toMatchObject({ code: 0, stdout: saying(', as take 2; its result is fetched without paying again') });
  expect(await world.run(['ledger', 'accept-copy', '--compared'])).toMatchObject({ code: 0 });
  for (const command of ['run g.csv', 'redrive g --where outcome=failed'])
    expect([command, (await world.run(command.split(' '))).code]).toEqual([command, 0]);
  expect(world.simulator.ledger()).toHaveLength(paid);
  expect(world.doubleCharges()).toEqual([]);
  expect(await billOf()).toEqual(bill);
  const now = await world.results('g');
  for (const [id, row] of files)
    expect(now.get(id)).toMatchObject({ _outcome: 'succeeded', _take: row['_take'], _job_ids: row['_job_ids'] });
  expect(await world.run(['verify', 'g'])).toMatchObject({ code: 0 });
});

it('the command that a refusal names sends no later step from a ledger that was set back and that nobody has accepted: its receipts have that, too', async () => {
  const world = await LiveWorld.open({ seed: 75, jobMs: [50, 100], config: { cache: 'off' } });
  const [home, kept] = [world.path('.voxbatch'), world.path('kept')];
  await world.write('g.csv', 'id,text,voice,video\nd1,Here.,narrator,https://media.example/face.mp4\n');
  expect(await world.run(['run', 'g.csv', '--yes'])).toMatchObject({ code: 0 });
  await cp(home, kept, { recursive: true });
  expect(await world.run(['redrive', 'g', '--rows', 'd1', '--step', 'speech', '--yes'])).toMatchObject({ code: 0 });
  const paid = world.simulator.ledger().length;
  await rm(home, { recursive: true });
  await cp(kept, home, { recursive: true });
  await world.run(['trust']);

  const { stderr } = await world.run(['run', 'g.csv', '--yes']);
  const [, first = ''] = /free: voxbatch (reconcile g --adopt d1\/2=[\w-]+)[.]/.exec(stderr) ?? [];
  expect(await world.run(first.split(' '))).toMatchObject({ code: 2, stderr: saying('voxbatch ledger accept-copy') });
  expect(await world.run(['ledger', 'accept-copy'])).toMatchObject({ code: 0 });
  const { stdout } = await world.run(first.split(' '));
  expect(stdout).toContain('as take 2');
  const { receipt_jobs: jobs } = JSON.parse((await world.run(['reconcile', 'g', '--json'])).stdout) as {
    receipt_jobs: { job_id: string }[];
  };
  expect(jobs).toHaveLength(1);
  await world.run(['reconcile', 'g', '--adopt', `d1=${jobs[0]?.job_id ?? ''}`]);
  expect((await world.results('g')).get('d1')).toMatchObject({ _outcome: 'succeeded', _take: 2 });
  expect(world.simulator.ledger()).toHaveLength(paid);
});
