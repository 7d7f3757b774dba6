import Database from 'libsql';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-run.ts';
import { pathsIn } from '../../../embedded/home.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { aBatch, aKey, aRow, INTENT } from '../../ledger/setup.ts';
import { settle } from '../../support/schedule-on-record.ts';
import { trust } from '../../../starters/trust/trust.ts';
import { capture, openCommandLine, type CommandLine } from '../command-line.ts';

let line: CommandLine;
let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator();
  line = await openCommandLine({ VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: simulator.token });
  await writeFile('lines.csv', 'text,voice\nHello,anna\n');
});
afterEach(async () => {
  await line.close();
  expect(simulator.ledger()).toEqual([]);
  await simulator.close();
});

const configure = (config: object): Promise<void> => writeFile('voxbatch.config.json', JSON.stringify(config));

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
    for (const words of [
      ['run', 'lines.csv', '--yes'],
      ['say', 'Hello', '--voice', 'anna'],
      ['redrive', '--where', 'outcome=failed'],
    ]) {
      const { code, stderr } = await line.run(...words);
      expect({ words, code }).toEqual({ words, code: 2 });
      expect(stderr).toContain(`  ${name}: `);
      expect(stderr).toContain('run: voxbatch trust\n');
      expect(stderr).not.toContain('secret-path');
    }
    expect(existsSync('.voxbatch')).toBe(false);
  });

  it('is confirmed by one command, by what it says and where it is, and that can be taken back', async () => {
    const confirmed = async (): Promise<boolean> =>
      (await line.json('plan', 'lines.csv', '--json')).value['unconfirmed'] === null;
    await configure({ onEnd: 'touch ran', limits: { rate: 5 } });
    expect(await confirmed()).toBe(false);
    expect(await line.run('trust')).toMatchObject({ code: 0, stdout: expect.stringContaining('onEnd: "touch ran"') });
    expect(await confirmed()).toBe(true);
    await configure({ onEnd: 'touch ran', limits: { rate: 1 }, budget: 7 });
    expect(await confirmed()).toBe(true);
    await configure({ onEnd: 'touch ran; touch more' });
    expect(await confirmed()).toBe(false);
    await configure({ onEnd: 'touch ran' });
    expect(await confirmed()).toBe(true);
    mkdirSync('copy');
    await cp('voxbatch.config.json', join('copy', 'voxbatch.config.json'));
    await cp('lines.csv', join('copy', 'lines.csv'));
    process.chdir('copy');
    expect(await confirmed()).toBe(false);
    process.chdir('..');
    expect(await line.run('trust', '--remove')).toMatchObject({ code: 0 });
    expect(await confirmed()).toBe(false);
  });

  it('is not confirmed by a link to one that was: its ./publish.sh is another', async () => {
    await configure({ onEnd: './publish.sh' });
    await line.run('trust');
    mkdirSync('shipped');
    symlinkSync('../voxbatch.config.json', join('shipped', 'voxbatch.config.json'));
    await cp('lines.csv', join('shipped', 'lines.csv'));
    process.chdir('shipped');
    expect((await line.json('plan', 'lines.csv', '--json')).value['unconfirmed']).not.toBe(null);
    expect((await line.run('run', 'lines.csv', '--yes')).code).toBe(2);
    process.chdir('..');
    expect((await line.json('plan', 'lines.csv', '--json')).value['unconfirmed']).toBe(null);
  });

  it('is refused with all that the next command would confirm: the address and the ledger, too', async () => {
    const { home } = pathsIn(join(line.folder, '.voxbatch'));
    await (await openLedger(join(home, 'ledger.db'))).close();
    await configure({ retakes: 3, api: { url: 'https://attacker.example/api/open/v1' } });
    const listed = (text: string): string[] =>
      text.split('\n').filter((one) => one.includes(line.folder) || one.startsWith('  '));
    const { stderr } = await line.run('run', 'lines.csv', '--yes');
    const { stdout } = await line.run('trust');
    expect(listed(stdout)).toEqual([
      join(line.folder, 'voxbatch.config.json'),
      '  retakes: 3',
      `${join(line.folder, 'voxbatch.config.json')}: api.url: "https://attacker.example/api/open/v1", with the token that is set now`,
      join(home, 'ledger.db'),
      '  batches: 0, of which 0 are open',
      '  schedules: none',
      '  if you moved it here, go on; if this is a copy, do not use both: each pays again for what the other sends',
    ]);
    // Nothing is to be decided any more.
    expect((await line.run('trust')).stdout).not.toContain('copy');
    for (const shown of listed(stdout)) expect(stderr).toContain(shown);
    expect(stderr).toContain(`VOXBATCH_HOME=${home}`);
    expect(stderr).toContain(`VOXBATCH_CONFIG=${join(line.folder, 'voxbatch.config.json')}`);
  });

  it('is shown with a path that cannot steer the terminal, or look like lines of ours', async () => {
    const odd = join(line.folder, 'a\n  cache: "on"\u001b[8m\u202e');
    mkdirSync(odd);
    process.chdir(odd);
    await configure({ retakes: 3 });
    const { stdout } = await line.run('trust');
    expect(stdout.split('\n')[0]).toBe(
      `"${line.folder}/a\\n  cache: \\"on\\"\\u001b[8m\\u{202e}/voxbatch.config.json"`,
    );
  });

  it('needs none for limits, and none if the user names the file', async () => {
    await configure({ limits: { rate: 5 }, budget: 100, confirmAbove: 5, halt: 'never', cache: 'off', onEnd: null });
    expect((await line.json('plan', 'lines.csv', '--json')).value).toMatchObject({ unconfirmed: null, budget: 100 });
    await configure({ retakes: 3 });
    process.env['VOXBATCH_CONFIG'] = 'voxbatch.config.json';
    expect((await line.json('plan', 'lines.csv', '--json')).value).toMatchObject({ unconfirmed: null, retakes: 3 });
  });

  it('is shown by plan, which does not use what is not confirmed', async () => {
    await configure({ onEnd: 'echo \u001b[2J', prices: { 'speech-job': { unit: 'job', credits: 0 } } });
    const before = await line.run('plan', 'lines.csv');
    expect(before.code).toBe(0);
    expect(before.stdout).toContain('Not used here, because you have not confirmed it');
    expect(before.stdout).toContain('  onEnd: "echo \\u001b[2J"');
    expect((await line.json('plan', 'lines.csv', '--json')).value).toMatchObject({ credits: 3, estimated: true });
    await line.run('trust');
    const after = await line.run('plan', 'lines.csv');
    expect(after.stdout).toContain('this command runs: "echo \\u001b[2J"');
    expect((await line.json('plan', 'lines.csv', '--json')).value).toMatchObject({ credits: 0, estimated: false });
  });
});

describe('the address in a config', () => {
  it('is confirmed for the token that is set', async () => {
    delete process.env['VOXBATCH_API_URL'];
    await configure({ api: { url: simulator.url } });
    expect((await line.run('profile')).code).toBe(2);
    expect(await line.run('trust')).toMatchObject({ code: 0 });
    expect((await line.run('profile')).code).toBe(0);
    await line.run('trust', '--remove');
    expect((await line.run('profile')).code).toBe(2);
  });
});

describe('a ledger that came with a folder', () => {
  beforeEach(async () => {
    const ledger = await openLedger('.voxbatch/ledger.db');
    const batch = { ...aBatch('lines'), apiUrl: simulator.url };
    await ledger.createBatch({ ...batch, settings: { ...batch.settings, onEnd: 'touch ran' } });
    await ledger.addRows('lines', [aRow(1)]);
    await ledger.openBatch('lines', 1);
    const key = { ...aKey(1), batch: 'lines' };
    await ledger.intend(key, INTENT);
    await ledger.settle(key, { verdict: 'rejected' }, { outcome: 'failed' });
    await ledger.closeBatch('lines');
    await ledger.close();
  });

  it('runs no command and spends nothing: whoever would is refused, whatever they say', async () => {
    const audio = 'https://media.example/a.mp3';
    for (const words of [
      ['run', 'lines.csv', '--yes'],
      ['up'],
      ['up', '--until-idle'],
      ['worker'],
      ['say', 'Hello', '--voice', 'anna', '--yes'],
      ['transcribe', audio, '--yes'],
      ['redrive', 'lines', '--where', 'outcome=failed', '--yes'],
      ['reconcile', 'lines', '--resubmit', 'r1', '--yes'],
      ['schedule', 'create', 'nightly', 'lines.csv', '--every', '1h'],
      ['schedule', 'trigger', 'nightly'],
      ['clean', 'lines', '--media', '--yes'],
      ['cache', 'prune', '--older-than', '1d', '--yes'],
    ]) {
      const { code, stderr } = await line.run(...words);
      expect({ words, code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('run: voxbatch trust'),
      });
    }
    expect([existsSync('ran'), existsSync(join('.voxbatch', 'temporal.db'))]).toEqual([false, false]);
  });

  it('writes no files outside of the working folder, whatever its batches are called', async () => {
    mkdirSync('work');
    process.chdir('work');
    const ledger = await openLedger('.voxbatch/ledger.db');
    await ledger.createBatch(aBatch('../../outside'));
    await ledger.openBatch('../../outside', 0);
    await ledger.close();
    expect((await line.run('results')).code).toBe(2);
    expect((await line.run('results', '../../outside')).code).toBe(2);
    process.chdir('..');
    expect(existsSync('outside')).toBe(false);
  });

  it('can be looked at', async () => {
    expect((await line.run('list')).code).toBe(0);
    expect((await line.run('status', 'lines')).code).toBe(75);
    expect((await line.run('plan', 'lines.csv', '--name', 'other')).code).toBe(0);
    expect((await line.run('explain', 'r1', '--batch', 'lines')).code).toBe(0);
  });

  it('is shown with what its schedules run, read, write and tell before it is confirmed', async () => {
    const ledger = await openLedger('.voxbatch/ledger.db');
    const place = { manifest: '/there/lines.csv', outFolder: '/out', probe: false, confirmAbove: null };
    const run = scheduledRunOf(chooseSettings({}, {}), place);
    await settle(ledger, 'nightly', { run });
    await ledger.setScheduleHooks('nightly', { onEnd: 'touch first', notify: 'https://hooks.example/secret-path' });
    await ledger.close();
    const { stdout } = await line.run('trust');
    expect(stdout).toContain('account of schedule "nightly": "u1" at "https://api.example/api/open/v1"');
    expect(stdout).toContain('manifest of schedule "nightly": "/there/lines.csv"');
    expect(stdout).toContain('folder of the files of schedule "nightly": "/out"');
    expect(stdout).toContain('command of schedule "nightly": "touch first"');
    expect(stdout).toContain('messages of schedule "nightly": to "hooks.example"');
    expect(stdout).not.toContain('secret-path');
  });

  it('is not confirmed if its database could change what it does: a trigger gives each new batch a command', async () => {
    const db = new Database('.voxbatch/ledger.db');
    db.exec(
      `create trigger evil after insert on batches begin update batches set settings = json_set(settings, '$.onEnd', 'touch ran') where name = new.name; end`,
    );
    db.close();
    const { code, stderr } = await line.run('trust');
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('trigger \\"evil\\"') });
    expect(stderr).toContain('Nothing was confirmed.');
    const { code: ran, stderr: refused } = await line.run('run', 'lines.csv', '--name', 'own', '--yes');
    expect({ ran, refused }).toMatchObject({ ran: 2, refused: expect.stringContaining('evil') });
    expect(refused).not.toContain('run: voxbatch trust');
  });

  it('is shown with the settings of its batches that could have more paid', async () => {
    const ledger = await openLedger('.voxbatch/ledger.db');
    const batch = aBatch('risky');
    await ledger.createBatch({
      ...batch,
      settings: { ...batch.settings, onUnknown: 'resubmit', retakes: 10 },
    });
    await ledger.close();
    const { stdout } = await line.run('trust');
    expect(stdout).toContain('  onUnknown of a batch: "resubmit"\n  retakes of a batch: 10\n');
    expect(stdout).toContain(`  prices of a batch: ${JSON.stringify(batch.settings.prices)}\n`);
  });

  it('is confirmed by one command, which shows what it would run', async () => {
    const { code, stdout } = await line.run('trust');
    expect(code).toBe(0);
    expect(stdout).toContain('command of a batch: "touch ran"');
    expect(stdout).toContain('batches: 1, of which 0 are open');
    const { code: after, stderr } = await line.run('redrive', 'lines', '--where', 'outcome=unknown', '--yes');
    expect([after, stderr]).not.toEqual([2, expect.stringContaining('voxbatch trust')]);
  });
});

describe('voxbatch trust', () => {
  it('shows everything and asks on a terminal, and confirms nothing without a yes', async () => {
    await configure({ onEnd: 'touch ran', api: { url: simulator.url } });
    delete process.env['VOXBATCH_API_URL'];
    const unconfirmed = async (): Promise<unknown> =>
      (await line.json('plan', 'lines.csv', '--json')).value['unconfirmed'];
    const lines = { out: '', err: '' };
    const output = { ...capture(lines), isInteractive: true };
    const answer = (isYes: boolean) => {
      return (): Promise<boolean> => {
        expect(lines.out).toContain('onEnd: "touch ran"');
        expect(lines.out).toContain(`api.url: "${simulator.url}"`);
        return Promise.resolve(isYes);
      };
    };
    await expect(trust('.', {}, { output }, answer(false))).rejects.toThrow('Nothing was confirmed.');
    expect(await unconfirmed()).not.toBe(null);
    expect((await line.run('profile')).code).toBe(2);
    expect(await trust('.', {}, { output }, answer(true))).toBe('complete');
    expect(await unconfirmed()).toBe(null);
    expect((await line.run('profile')).code).toBe(0);
  });

  it('refuses a folder in which there is nothing to confirm, and one whose record cannot be written', async () => {
    expect(await line.run('trust')).toMatchObject({ code: 2 });
    await configure({ onEnd: 'touch ran' });
    rmSync('.state', { recursive: true, force: true });
    await writeFile('.state', 'a file');
    const { code, stderr } = await line.run('trust');
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was confirmed') });
    expect(readFileSync('.state', 'utf8')).toBe('a file');
  });
});
