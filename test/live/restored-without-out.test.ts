/** @slow */
import { expect, it } from '@jest/globals';
import { saying } from '../support/batch-end.ts';
import { restoreBackup } from '../support/restore-backup.ts';
import { LiveWorld } from '../support/live-world.ts';

/** A restored ledger, where only the store knows what was paid for since the backup: the out folder is gone, too. */

interface Lists {
  readonly stored_results: readonly { readonly id: string; readonly take: number | null; readonly file: string }[];
}

it('rows of a batch put on record again, whose results only the store has, are paid for again only if they are named; the named files are taken, free', async () => {
  const world = await LiveWorld.open({ seed: 79, jobMs: [50, 100], config: { cache: 'off' }, server: true });
  const run = (line: string): ReturnType<LiveWorld['run']> => world.run(line.split(' '));
  await world.write('g.csv', 'id,text,voice\ng1,Before.,narrator\n');
  await world.write(
    'h.csv',
    'id,kind,text,voice,video\nh1,dub,Here.,narrator,https://media.example/h.mp4\nh2,tts,There.,anna,\nh3,tts,Broken.,anna,\nh4,tts,Where.,anna,\n',
  );
  await run('run g.csv --yes');
  await run('backup copy');
  await world.changePlan({ rules: [{ on: 'create', match: { text: 'Broken' }, fault: 'job-fails' }] });
  expect(await run('run h.csv --yes')).toMatchObject({ code: 10 });
  await run('redrive h --rows h2 --yes');
  await world.changePlan({ rules: [] });
  const paid = world.simulator.ledger().length;
  expect(paid).toBe(1 + 2 + 3 + 1);
  await restoreBackup(world, { lost: ['out/h'] });

  expect(await run('run h.csv --yes')).toMatchObject({ code: 2 });
  expect(await run('run h.csv --yes --cache only')).toMatchObject({ code: 12 });
  expect(await run('ledger accept-copy --compared')).toMatchObject({ code: 0 });
  expect(await run('tune h --cache on')).toMatchObject({ code: 0 });
  const all = await run('redrive h --where class=NotCached --yes');
  expect(all).toMatchObject({ code: 2, stderr: saying('the store has a result of it (h-') });
  expect(all.stderr).toContain('voxbatch redrive h --rows h1,h2,h4 --resubmit ');
  expect(await run('redrive h --where class=NotCached --resubmit --yes')).toMatchObject({ code: 2 });
  expect(world.simulator.ledger()).toHaveLength(paid);

  const { stored_results: stored } = JSON.parse((await run('reconcile h --json')).stdout) as Lists;
  expect(stored.map(({ id, file }) => [id, file.replace(/^h-[0-9a-f]{10}/, '')])).toEqual([
    ['h1', expect.stringMatching(/^\/0000\/1-lip-sync-1/)],
    ['h2', expect.stringMatching(/^\/0000\/2-speech-2/)],
    ['h4', expect.stringMatching(/^\/0000\/4-speech-1/)],
  ]);
  const [first, , last] = stored;
  const wrong = await run(`reconcile h --adopt h3=${last?.file ?? ''}`);
  expect(wrong).toMatchObject({ code: 2, stderr: saying('that file is not a result of this row and take') });
  const [, named = ''] =
    /free: voxbatch (reconcile h --adopt h1=\S+ h2=\S+) h4=/.exec((await run('reconcile h')).stdout) ?? [];
  const taken = await run(named);
  expect(taken.stdout).toContain('h1 (row 1): its result was stored; nothing was paid again');
  expect(await run('status h --json')).toMatchObject({ stdout: saying('"uncertain":0') });
  expect(world.simulator.ledger()).toHaveLength(paid);
  const rows = await world.results('h');
  for (const id of ['h1', 'h2']) expect(rows.get(id)).toMatchObject({ _outcome: 'succeeded' });
  expect(rows.get('h1')?.['_file']).toMatch(/[.]mp4$/);

  // A row without a result in the store is sent; of the others only the one that is named.
  expect(await run('redrive h --rows h3 --yes')).toMatchObject({ code: 12 });
  expect(world.simulator.ledger()).toHaveLength(paid + 1);
  expect(await run('redrive h --rows h4 --resubmit --yes')).toMatchObject({ code: 0 });
  expect(world.simulator.ledger()).toHaveLength(paid + 2);
  expect(await run('reconcile h')).toMatchObject({ code: 0 });
  expect(first?.take).toBeNull();
  expect(await run('verify h')).toMatchObject({ code: 0 });
});

it('synchronous speech of a later take, which has no job, is given to its row by the file that reconcile names, and is not paid for again', async () => {
  const world = await LiveWorld.open({ seed: 80, jobMs: [50, 100], config: { cache: 'off' }, server: true });
  const run = (line: string): ReturnType<LiveWorld['run']> => world.run(line.split(' '));
  await world.write('g.csv', 'id,text,voice\nv1,First.,narrator\nv2,Second.,narrator\n');
  expect(await run('run g.csv --tts sync --yes')).toMatchObject({ code: 0 });
  await run('backup copy');
  expect(await run('redrive g --rows v1,v2 --yes')).toMatchObject({ code: 0 });
  const files = await world.results('g');
  const paid = world.simulator.ledger().length;
  expect(paid).toBe(2 + 2);
  await restoreBackup(world, { compares: false });
  const { stderr } = await run('ledger compare-store');
  expect(stderr).toContain('--adopt ROW/TAKE=FILE');
  expect(await run('redrive g --rows v1 --yes')).toMatchObject({ code: 2, stderr: saying('voxbatch reconcile g') });
  const [, named = ''] =
    /free: voxbatch (reconcile g --adopt( v[12]\/2=g-\w+\/0000\/[12]-speech-2[.]mp3){2})/.exec(
      (await run('reconcile g')).stdout,
    ) ?? [];
  expect(named).not.toBe('');
  expect(await run(named)).toMatchObject({
    stdout: saying('v1 (row 1): its result was stored, as take 2; nothing was paid again'),
  });
  expect((await run('reconcile g')).stdout).not.toContain('receipts');
  await run('ledger accept-copy --compared');
  expect(await run('run g.csv --tts sync --yes')).toMatchObject({ code: 0 });
  const now = await world.results('g');
  for (const [id, row] of files)
    expect(now.get(id)).toMatchObject({ _outcome: 'succeeded', _take: 2, _credits: row['_credits'] });
  expect(await run('verify g')).toMatchObject({ code: 0 });
  expect(world.simulator.ledger()).toHaveLength(paid);
});
