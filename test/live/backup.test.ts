/** @slow */
import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { readPage } from '../docs/pages.ts';
import { expectWhole, report, saying } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { loseLedger } from '../support/restore-backup.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 40;
// So slow that the batch is in its middle also on a busy machine.
const RUN = ['run', 'lines.csv', '--rate', '1', '--halt', 'never'];
const FASTER = ['tune', 'lines', '--rate', '20'];
const SENDING = [RUN, ['resume', 'lines'], ['redrive', 'lines'], ['worker'], ['up'], ['say', 'Hello.', '--voice', 'v']];

/** The commands of the guide once a backup is in place, for this batch. */
function guideCommands(batch: string): readonly string[][] {
  const [, section = ''] = readPage('docs/guide/backup.md').split('## Restore\n');
  const blocks = (section.split(/^## /m)[0] ?? '').matchAll(/^ *```sh\n(.*?)^ *```/gms);
  const lines = [...blocks].flatMap(([, commands = '']) => commands.split('\n'));
  const words = lines.map((line) => line.split('#')[0]?.trim().replace('BATCH', batch).split(' ').slice(1) ?? []);
  // A batch that was begun since has commands of its own: restored-new-batch.test.ts.
  const isOfLater = (command: readonly string[]): boolean => command.some((word) => /^later\b/.test(word));
  return words.filter((command) => command[0] !== undefined && command[0] !== 'restore' && !isOfLater(command));
}

it('a ledger that is lost in mid-batch goes on from its backup by the guide, whenever backup and restore are killed, and no row is paid for twice', async () => {
  const world = await LiveWorld.open({ seed: 61, jobMs: [100, 500], rows: ROWS, kinds: ['tts'] });
  const dies = async (command: string, moment: string): Promise<void> => {
    const ended = await world.start([command, 'copy'], { dieAt: `${command}-${moment}:1` }).ended;
    expect([moment, ended]).toEqual([moment, expect.objectContaining({ signal: 'SIGKILL' })]);
  };
  const run = world.start(RUN);
  await world.untilCharged(ROWS / 5);
  // So that rows are left after so many commands.
  await changeRate(world, 'lines', 0.2);
  expect(await world.run(['backup', 'copy', '--json'])).toMatchObject({ code: 0 });
  for (const moment of ['ledger', 'media', 'named']) await dies('backup', moment);
  // Each of the killed ones left the first whole; the next says so.
  expect(await world.run(['backup', 'copy'])).toMatchObject({ code: 0, stderr: saying('did not end') });
  await dies('backup', 'published');
  const since = world.charges().size;
  await changeRate(world, 'lines', 1);
  await world.untilCharged(Math.max(since + 1, ROWS / 2));
  // What was sent ends, and its results are stored.
  await world.run(['pause', 'lines']);
  await run.ended;
  const sent = world.charges().size;
  expect(sent).toBeGreaterThan(since);

  await loseLedger(world);
  await rm(world.path('out'), { recursive: true, force: true });
  for (const moment of ['copied', 'media']) {
    await dies('restore', moment);
    // Without a ledger, its media forbid to begin another one.
    expect(await world.run(RUN)).toMatchObject({ code: 2, stderr: saying('belong to another ledger') });
  }
  await dies('restore', 'placed');
  expect(await world.run(['restore', 'copy'])).toMatchObject({ code: 2, stderr: saying('There is a ledger already') });
  await rm(world.path('.voxbatch', 'ledger.db'));
  const restored = await world.run(['restore', 'copy', '--json']);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  const view = JSON.parse(restored.stdout) as { may_pay_again: number; batches: { batch: string }[] };
  expect(view.batches).toEqual([expect.objectContaining({ batch: 'lines', rows: ROWS, state: 'open' })]);
  expect(view.may_pay_again).toBeGreaterThanOrEqual(sent - since);

  expect(await world.run(['trust'])).toMatchObject({ code: 0 });
  const refused = { code: 4, stderr: saying('nobody has accepted it') };
  for (const command of SENDING) expect([command, await world.run(command)]).toMatchObject([command, refused]);
  const commands = guideCommands('lines');
  expect(commands).toContainEqual(['ledger', 'accept-copy', '--compared']);
  for (const command of commands) {
    if (command[0] === 'resume') expect(world.charges().size).toBe(sent);
    const { code, stderr } = await world.run(command);
    // The batch is paused until the last of them.
    expect([command, code, stderr]).toEqual([
      command,
      ['reconcile', 'results'].includes(command[0] ?? '') ? 75 : 0,
      stderr,
    ]);
    if (command.join(' ') === 'ledger compare-store')
      expect(await world.run(['resume', 'lines'])).toMatchObject({ code: 4, stderr: saying('--compared') });
  }
  await world.run(FASTER);
  await world.start(['run', 'lines.csv', '--halt', 'never']).ended;
  const end = await expectWhole(world, 'lines', ROWS);
  report('ledger restored from a backup', { since, sent, ...end });
  expect(end.charges).toBe(ROWS);
  expect(world.doubleCharges()).toEqual([]);
});

it('in an empty home after all was lost, a backup sends nothing by itself; rows that the account does not have are run as a new batch', async () => {
  const world = await LiveWorld.open({ seed: 62, jobMs: [200, 800], rows: ROWS, kinds: ['tts'] });
  const run = world.start(RUN);
  await world.untilCharged(ROWS / 4);
  expect(await world.run(['backup', 'copy'])).toMatchObject({ code: 0, stdout: saying('Backed up to') });
  await world.untilCharged(ROWS / 2);
  await run.kill();
  await world.untilTaken();
  const texts = (): string[] => world.simulator.ledger().flatMap(({ text }) => (text === undefined ? [] : [text]));
  const sent = new Set(texts());

  const env = { VOXBATCH_HOME: world.path('home') };
  const restored = await world.run(['restore', 'copy'], { env });
  expect(restored).toMatchObject({ code: 0, stdout: saying('may have been sent since, and would be paid for again') });
  expect(restored.stdout).toMatch(/voxbatch results lines +# lists the rows/);
  for (const command of [RUN, ['resume', 'lines'], ['up']])
    expect([command, await world.run(command, { env })]).toMatchObject([command, { code: 4 }]);
  const refused = await world.run([...RUN, '--json'], { env });
  const { retry, next } = JSON.parse(refused.stdout) as Readonly<Record<string, unknown>>;
  expect({ retry, next }).toEqual({ retry: 'after-change', next: 'voxbatch ledger accept-copy' });
  expect(await world.run(['ledger', 'accept-copy'], { env })).toMatchObject({
    code: 0,
    stderr: saying('Paused: lines'),
  });
  expect(await world.run(RUN, { env })).toMatchObject({ code: 75 });
  expect(await world.run(['resume', 'lines'], { env })).toMatchObject({ code: 4, stderr: saying('--compared') });
  expect(await world.run(['ledger', 'compare-store'], { env })).toMatchObject({ code: 0 });
  expect(await world.run(['ledger', 'accept-copy', '--compared'], { env })).toMatchObject({ code: 0 });
  expect(texts()).toHaveLength(sent.size);

  // What the account has is not sent again.
  await world.run(['stop', 'lines', '--now'], { env });
  const [header = '', ...lines] = (await world.read('lines.csv')).trim().split('\n');
  const rest = lines.filter((line) => ![...sent].some((text) => line.includes(text)));
  expect(rest).toHaveLength(ROWS - sent.size);
  await world.write('rest.csv', [header, ...rest, ''].join('\n'));
  expect(await world.run(['run', 'rest.csv', '--name', 'rest'], { env })).toMatchObject({ code: 0 });
  const all = texts();
  report('everything lost but the backup', {
    sent: sent.size,
    charges: all.length,
    twice: all.length - new Set(all).size,
  });
  expect(all.length).toBe(ROWS);
  expect(new Set(all).size).toBe(ROWS);
});

it('a worker of another folder whose ledger and lock were moved away sends nothing more, and the advice of restore leaves the lock', async () => {
  const world = await LiveWorld.open({ seed: 63, jobMs: [100, 300], rows: ROWS, kinds: ['tts'] });
  const run = world.start(['run', 'lines.csv', '--rate', '2', '--halt', 'never']);
  await world.untilCharged(3);
  await changeRate(world, 'lines', 0.2);
  expect(await world.run(['backup', 'copy'])).toMatchObject({ code: 0 });
  // Whoever restores knows nothing of the worker's own folder.
  const elsewhere = { VOXBATCH_HOME: world.path('home'), VOXBATCH_LEDGER: world.ledger };
  const env = { ...elsewhere, VOXBATCH_STORE: world.path('.voxbatch', 'store') };
  const held = { code: 4, stderr: saying('still works') };
  expect(await world.run(['restore', 'copy'], { env })).toMatchObject(held);

  const names = (await readdir(world.path('.voxbatch'))).filter((name) => name.startsWith('ledger.db'));
  expect(names).toContain('ledger.db.lock');
  await mkdir(world.path('former'));
  await changeRate(world, 'lines', 2);
  for (const name of names) await rename(world.path('.voxbatch', name), world.path('former', name));
  const before = world.charges().size;
  expect(await world.run(['restore', 'copy'], { env })).toMatchObject({ code: 0 });
  expect(await run.ended).toMatchObject({ code: 4, stderr: saying('sends nothing more') });
  const since = world.charges().size - before;
  report('ledger moved away under a worker', { before, since });
  // Those that were on the wire.
  expect(since).toBeLessThanOrEqual(2);

  const there = await world.run(['restore', 'copy'], { env });
  expect(there).toMatchObject({ code: 2, stderr: saying('There is a ledger already') });
  const [advised = ''] = /mkdir .*/.exec(there.stderr) ?? [];
  execFileSync('/bin/sh', ['-c', advised]);
  expect(await readdir(world.path('.voxbatch'))).toContain('ledger.db.lock');
  expect(await world.run(['restore', 'copy'], { env })).toMatchObject({ code: 0 });
});

it('rows whose results are in the store, more of them than one listing of a folder may name, are not paid for again by a ledger from before them', async () => {
  const rows = 50;
  const world = await LiveWorld.open({ seed: 64, jobMs: [100, 300], rows, kinds: ['tts'], server: true });
  const run = world.start(RUN);
  await world.untilCharged(1);
  await changeRate(world, 'lines', 0.1);
  expect(await world.run(['backup', 'copy'])).toMatchObject({ code: 0 });
  const known = world.charges().size;
  await world.run(['tune', 'lines', '--rate', '50']);
  expect(await run.ended).toMatchObject({ code: 0 });
  // As recorded since, more than 32 of one folder.
  expect(rows - known).toBeGreaterThan(40);
  await loseLedger(world);
  await rm(world.path('out'), { recursive: true, force: true });
  await world.withoutServer(async () => {
    expect(await world.run(['restore', 'copy'])).toMatchObject({ code: 0 });
  });
  await world.run(['trust']);
  for (const command of guideCommands('lines')) await world.run(command);
  await world.run(['tune', 'lines', '--rate', '50']);
  await world.start(['run', 'lines.csv', '--halt', 'never']).ended;
  const end = await expectWhole(world, 'lines', rows);
  report('a restored ledger that lacks most results', { known, ...end });
  expect(world.doubleCharges()).toEqual([]);
  expect(end.charges).toBe(rows);
});
