import Database from 'libsql';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import { pathsIn } from '../../../embedded/home.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { aBatch, aKey, aRow, INTENT } from '../../ledger/setup.ts';
import { settle } from '../../support/schedule-on-record.ts';
import { trust } from '../../../starters/trust/trust.ts';
import { aTerminal, expectRun, json, lineAtSimulator, run } from '../command-line.ts';

const line = lineAtSimulator();
beforeEach(() => writeFile('lines.csv', 'text,voice\nHello,anna\n'));

const configure = (config: object): Promise<void> => writeFile('voxbatch.config.json', JSON.stringify(config));

/** Whether all that the config of this folder says is confirmed. */
const isConfirmed = async (): Promise<boolean> => (await json('plan lines.csv')).value['unconfirmed'] === null;

describe("a folder's config", () => {
  it.each([
    { onEnd: 'touch ran' },
    { notify: 'https://hooks.example/secret-path' },
    { prices: { 'speech-job': { unit: 'job', credits: 0 } } },
    { assumeSeconds: 0.001 },
    { onUnknown: 'resubmit' },
    { retakes: 10 },
    { trust503: true },
    { store: '../elsewhere' },
  ])('that says %j is refused until its user has confirmed it, with --yes too', async (config) => {
    await configure(config);
    const [name = ''] = Object.keys(config);
    const err = [`  ${name}: `, 'run: voxbatch trust\n'];
    for (const words of ['run lines.csv --yes', 'say Hello --voice anna', 'redrive --where outcome=failed'])
      await expectRun(words, 2, { err, not: 'secret-path' });
    expect(existsSync('.voxbatch')).toBe(false);
  });

  it('is confirmed by one command, by what it says and where it is, and that can be taken back', async () => {
    await configure({ onEnd: 'touch ran', limits: { rate: 5 } });
    expect(await isConfirmed()).toBe(false);
    await expectRun('trust', 0, { out: 'onEnd: "touch ran"' });
    expect(await isConfirmed()).toBe(true);
    await configure({ onEnd: 'touch ran', limits: { rate: 1 }, budget: 7 });
    expect(await isConfirmed()).toBe(true);
    await configure({ onEnd: 'touch ran; touch more' });
    expect(await isConfirmed()).toBe(false);
    await configure({ onEnd: 'touch ran' });
    expect(await isConfirmed()).toBe(true);
    mkdirSync('copy');
    for (const file of ['voxbatch.config.json', 'lines.csv']) await cp(file, join('copy', file));
    process.chdir('copy');
    expect(await isConfirmed()).toBe(false);
    process.chdir('..');
    await expectRun('trust --remove', 0);
    expect(await isConfirmed()).toBe(false);
  });

  it('is not confirmed by a link to one that was: its ./publish.sh is another', async () => {
    await configure({ onEnd: './publish.sh' });
    await run('trust');
    mkdirSync('shipped');
    symlinkSync('../voxbatch.config.json', join('shipped', 'voxbatch.config.json'));
    await cp('lines.csv', join('shipped', 'lines.csv'));
    process.chdir('shipped');
    expect(await isConfirmed()).toBe(false);
    await expectRun('run lines.csv --yes', 2);
    process.chdir('..');
    expect(await isConfirmed()).toBe(true);
  });

  it('is refused with all that the next command would confirm: the address and the ledger, too', async () => {
    const folder = process.cwd();
    const { home } = pathsIn(join(folder, '.voxbatch'));
    await (await openLedger(join(home, 'ledger.db'))).close();
    await configure({ retakes: 3, api: { url: 'https://attacker.example/api/open/v1' } });
    const listed = (text: string): string[] =>
      text.split('\n').filter((one) => one.includes(folder) || one.startsWith('  '));
    const { stderr } = await run('run lines.csv --yes');
    const { stdout } = await run('trust');
    const config = join(folder, 'voxbatch.config.json');
    expect(listed(stdout)).toEqual([
      config,
      '  retakes: 3',
      `${config}: api.url: "https://attacker.example/api/open/v1", with the token that is set now`,
      join(home, 'ledger.db'),
      '  batches: 0, of which 0 are open',
      '  schedules: none',
      '  if you moved it here, go on; if this is a copy, do not use both: each pays again for what the other sends',
    ]);
    // Nothing is to be decided any more.
    await expectRun('trust', 0, { not: 'copy' });
    for (const shown of [...listed(stdout), `VOXBATCH_HOME=${home}`, `VOXBATCH_CONFIG=${config}`])
      expect(stderr).toContain(shown);
  });

  it('is shown with a path that cannot steer the terminal, or look like lines of ours', async () => {
    const folder = process.cwd();
    mkdirSync('a\n  cache: "on"\u001b[8m\u202e');
    process.chdir('a\n  cache: "on"\u001b[8m\u202e');
    await configure({ retakes: 3 });
    const odd = `"${folder}/a\\n  cache: \\"on\\"\\u001b[8m\\u{202e}/voxbatch.config.json"`;
    expect((await run('trust')).stdout.split('\n')[0]).toBe(odd);
  });

  it('needs none for limits, and none if the user names the file', async () => {
    await configure({ limits: { rate: 5 }, budget: 100, confirmAbove: 5, halt: 'never', cache: 'off', onEnd: null });
    expect((await json('plan lines.csv')).value).toMatchObject({ unconfirmed: null, budget: 100 });
    await configure({ retakes: 3 });
    process.env['VOXBATCH_CONFIG'] = 'voxbatch.config.json';
    expect((await json('plan lines.csv')).value).toMatchObject({ unconfirmed: null, retakes: 3 });
  });

  it('is shown by plan, which does not use what is not confirmed', async () => {
    await configure({ onEnd: 'echo \u001b[2J', prices: { 'speech-job': { unit: 'job', credits: 0 } } });
    const unused = ['Not used here, because you have not confirmed it', '  onEnd: "echo \\u001b[2J"'];
    await expectRun('plan lines.csv', 0, { out: unused });
    expect((await json('plan lines.csv')).value).toMatchObject({ credits: 3, estimated: true });
    await run('trust');
    await expectRun('plan lines.csv', 0, { out: 'this command runs: "echo \\u001b[2J"' });
    expect((await json('plan lines.csv')).value).toMatchObject({ credits: 0, estimated: false });
  });

  it('has an address that is confirmed for the token that is set', async () => {
    delete process.env['VOXBATCH_API_URL'];
    await configure({ api: { url: line.simulator.url } });
    await expectRun('profile', 2);
    await expectRun('trust', 0);
    await expectRun('profile', 0);
    await run('trust --remove');
    await expectRun('profile', 2);
  });
});

describe('a ledger that came with a folder', () => {
  beforeEach(async () => {
    const ledger = await openLedger('.voxbatch/ledger.db');
    const batch = { ...aBatch('lines'), apiUrl: line.simulator.url };
    const loading = await ledger.createBatch({ ...batch, settings: { ...batch.settings, onEnd: 'touch ran' } });
    await ledger.addRows(loading, [aRow(1)]);
    await ledger.openBatch(loading, 1);
    const key = { ...aKey(1), batch: 'lines' };
    await ledger.intend(key, INTENT);
    await ledger.settle(key, { verdict: 'rejected' }, { outcome: 'failed' });
    await ledger.closeBatch('lines');
    await ledger.close();
  });

  it('runs no command and spends nothing: whoever would is refused, whatever they say', async () => {
    for (const words of [
      'run lines.csv --yes',
      'up',
      'up --until-idle',
      'worker',
      'say Hello --voice anna --yes',
      'transcribe https://media.example/a.mp3 --yes',
      'redrive lines --where outcome=failed --yes',
      'reconcile lines --resubmit r1 --yes',
      'schedule create nightly lines.csv --every 1h',
      'schedule trigger nightly',
      'clean lines --media --yes',
      'cache prune --older-than 1d --yes',
    ])
      await expectRun(words, 2, 'run: voxbatch trust');
    expect([existsSync('ran'), existsSync(join('.voxbatch', 'temporal.db'))]).toEqual([false, false]);
  });

  it('writes no files outside of the working folder, whatever its batches are called', async () => {
    mkdirSync('work');
    process.chdir('work');
    const ledger = await openLedger('.voxbatch/ledger.db');
    const loading = await ledger.createBatch(aBatch('../../outside'));
    await ledger.openBatch(loading, 0);
    await ledger.close();
    for (const words of ['results', 'results ../../outside']) await expectRun(words, 2);
    process.chdir('..');
    expect(existsSync('outside')).toBe(false);
  });

  it('can be looked at', async () => {
    for (const words of ['list', 'plan lines.csv --name other', 'explain r1 --batch lines']) await expectRun(words, 0);
    await expectRun('status lines', 75);
  });

  it('is shown with what its batches and schedules run, read, write, tell and risk before it is confirmed', async () => {
    const ledger = await openLedger('.voxbatch/ledger.db');
    const place = { manifest: '/there/lines.csv', outFolder: '/out', probe: false, confirmAbove: null };
    await settle(ledger, 'nightly', { run: scheduledRunOf(chooseSettings({}, {}), place) });
    await ledger.setScheduleHooks('nightly', { onEnd: 'touch first', notify: 'https://hooks.example/secret-path' });
    const batch = aBatch('risky');
    await ledger.createBatch({ ...batch, settings: { ...batch.settings, onUnknown: 'resubmit', retakes: 10 } });
    await ledger.close();
    const out = [
      'command of a batch: "touch ran"',
      'batches: 2, of which 1 is open',
      'account of schedule "nightly": "u1" at "https://api.example/api/open/v1"',
      'manifest of schedule "nightly": "/there/lines.csv"',
      'folder of the files of schedule "nightly": "/out"',
      'command of schedule "nightly": "touch first"',
      'messages of schedule "nightly": to "hooks.example"',
      '  onUnknown of a batch: "resubmit"\n  retakes of a batch: 10\n',
      `  prices of a batch: ${JSON.stringify(batch.settings.prices)}\n`,
    ];
    await expectRun('trust', 0, { out, not: 'secret-path' });
    const { stderr } = await run('redrive lines --where outcome=unknown --yes');
    expect(stderr).not.toContain('voxbatch trust');
  });

  it('is not confirmed if its database could change what it does: a trigger gives each new batch a command', async () => {
    const db = new Database('.voxbatch/ledger.db');
    db.exec(
      `create trigger evil after insert on batches begin update batches set settings = json_set(settings, '$.onEnd', 'touch ran') where name = new.name; end`,
    );
    db.close();
    await expectRun('trust', 2, ['trigger \\"evil\\"', 'Nothing was confirmed.']);
    await expectRun('run lines.csv --name own --yes', 2, { err: 'evil', not: 'run: voxbatch trust' });
  });
});

describe('voxbatch trust', () => {
  it('shows everything and asks on a terminal, and confirms nothing without a yes', async () => {
    await configure({ onEnd: 'touch ran', api: { url: line.simulator.url } });
    delete process.env['VOXBATCH_API_URL'];
    const { output, lines } = aTerminal();
    const answer = (isYes: boolean): Promise<string> =>
      trust('.', {}, { output }, () => {
        expect(lines.out).toContain('onEnd: "touch ran"');
        expect(lines.out).toContain(`api.url: "${line.simulator.url}"`);
        return Promise.resolve(isYes);
      });
    await expect(answer(false)).rejects.toThrow('Nothing was confirmed.');
    expect(await isConfirmed()).toBe(false);
    await expectRun('profile', 2);
    expect(await answer(true)).toBe('complete');
    expect(await isConfirmed()).toBe(true);
    await expectRun('profile', 0);
  });

  it('refuses a folder in which there is nothing to confirm, and one whose record cannot be written', async () => {
    await expectRun('trust', 2);
    await configure({ onEnd: 'touch ran' });
    rmSync('.state', { recursive: true, force: true });
    await writeFile('.state', 'a file');
    await expectRun('trust', 2, 'nothing was confirmed');
    expect(readFileSync('.state', 'utf8')).toBe('a file');
  });
});
