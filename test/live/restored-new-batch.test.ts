/** @slow */
import { expect, it } from '@jest/globals';
import { saying } from '../support/batch-end.ts';
import { restoreBackup } from '../support/restore-backup.ts';
import { LiveWorld } from '../support/live-world.ts';

/** What a ledger lacks that was restored from a backup, beside the next requests of its rows. */

interface Lists {
  readonly receipt_jobs: readonly { readonly id: string; readonly take: number | null; readonly job_id: string }[];
  readonly receipts_without_job: number;
}

it('a batch begun after the backup, and an answer without a job, come back with the commands that are named, and nothing is paid for again', async () => {
  const world = await LiveWorld.open({ seed: 76, jobMs: [50, 100], config: { cache: 'off' }, server: true });
  const run = (line: string): ReturnType<LiveWorld['run']> => world.run(line.split(' '));
  await world.write('g.csv', 'id,text,voice,verify\nv1,Some words to hear.,narrator,true\n');
  await world.write(
    'h.csv',
    'id,kind,text,voice,video\nh1,dub,Here.,narrator,https://media.example/h.mp4\nh2,tts,There.,anna,\n',
  );
  await run('run g.csv --yes');
  await run('backup copy');
  await run('redrive g --rows v1 --yes');
  await run('run h.csv --yes');
  const say = 'say Hello. --voice narrator -o hello.mp3 --force --json';
  const said = JSON.parse((await run(say)).stdout) as { readonly batch: string; readonly job_ids: readonly string[] };
  const paid = world.simulator.ledger().length;
  expect(paid).toBe(2 + 2 + 3 + 1);
  const files = await world.results('h');
  await restoreBackup(world);

  /** Gives all rows their jobs, in as many commands as there are steps; returns what is left without a job. */
  const adoptAll = async (batch: string): Promise<number> => {
    for (;;) {
      const found = JSON.parse((await run(`reconcile ${batch} --json`)).stdout) as Lists;
      if (found.receipt_jobs.length === 0) return found.receipts_without_job;
      const words = found.receipt_jobs.map(
        ({ id, take, job_id: job }) => `${id}${take === null ? '' : `/${take}`}=${job}`,
      );
      expect(await run(`reconcile ${batch} --adopt ${words.join(' ')}`)).toMatchObject({ stdout: saying(' now') });
    }
  };
  expect(await adoptAll('g')).toBe(1);
  const { stdout } = await run('reconcile g');
  const [, ...again] =
    /name no job of 1 request,.* free: voxbatch (ledger compare-store), then voxbatch (reconcile g)[.]/.exec(stdout) ??
    [];
  for (const line of again) expect(await run(line)).not.toMatchObject({ code: 2 });
  expect((await world.results('g')).get('v1')).toMatchObject({ _outcome: 'succeeded', _take: 2 });

  const lost = 'Batch "h" is not in the ledger, but';
  const inOut = `${lost} ${world.path('out', 'h')} has 3 paid requests of it`;
  expect(await run('run h.csv --yes')).toMatchObject({ code: 2, stderr: saying(inOut) });
  const inStore = `${lost} the store has 3 results of it (h-`;
  expect(await run('run h.csv --yes --out other')).toMatchObject({ code: 2, stderr: saying(inStore) });
  expect(await run('run h.csv --yes --cache only')).toMatchObject({ code: 12 });
  expect(await adoptAll('h')).toBe(0);
  expect(await run('run h.csv --yes')).toMatchObject({ code: 0 });
  const now = await world.results('h');
  for (const [id, row] of files)
    expect(now.get(id)).toMatchObject({ _outcome: 'succeeded', _job_ids: row['_job_ids'], _credits: row['_credits'] });

  const lostJob = { code: 2, stderr: saying(`"${said.batch}" is not in the ledger, but the store has 1 result of it`) };
  expect(await run(say)).toMatchObject(lostJob);
  expect(await run(`${say} --cache only`)).toMatchObject({ code: 12 });
  expect(await run(say)).toMatchObject(lostJob);
  expect(await run(`reconcile ${said.batch} --adopt 1=${said.job_ids.join('')}`)).toMatchObject({ code: 0 });
  expect(await run(say)).toMatchObject({ code: 0 });
  await run('ledger accept-copy --compared');
  expect(await run('run g.csv --yes')).toMatchObject({ code: 0 });
  for (const batch of ['g', 'h']) expect(await run(`verify ${batch}`)).toMatchObject({ code: 0 });
  expect(world.simulator.ledger()).toHaveLength(paid);
});
