import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { pathsIn } from '../../../embedded/home.ts';
import { KernelLock } from '../../../embedded/kernel-lock.ts';
import { addBatch, addSampleBatch, finish, keyOf } from '../../results/sample-batch.ts';
import { main } from '../../../starters/main.ts';
import { capture, run, json } from '../command-line.ts';
import { placeForEach } from '../place-for-each.ts';

const invocation = placeForEach();
const { place } = invocation;

const ROWS = [
  { id: '2', kind: 'tts', input: ['2', 'one'] },
  { id: 'b', kind: 'tts', input: ['b', 'two'] },
] as const;

const addOpenBatch = (): Promise<void> => addBatch(place, ['id', 'text'], ROWS);

describe('without a ledger', () => {
  it.each([['status'], ['watch'], ['explain', '1'], ['results'], ['verify']])(
    '%s says how to start, and makes nothing',
    async (...words) => {
      process.env['VOXBATCH_HOME'] = join(invocation.line.folder, 'home');
      const { code, stdout, stderr } = await run(...words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('Start one: voxbatch run MANIFEST');
      expect(existsSync('home')).toBe(false);
      expect(existsSync('out')).toBe(false);
    },
  );
});

describe('list', () => {
  it('says that there is no batch yet, which is no error, and makes nothing', async () => {
    process.env['VOXBATCH_HOME'] = join(invocation.line.folder, 'home');
    const { code, stdout, stderr } = await run('list');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('There is no batch here yet. Start one: voxbatch run MANIFEST');
    expect(await json('list', '--json')).toMatchObject({ code: 0, value: [] });
    expect(existsSync('home')).toBe(false);
  });

  it('shows every batch, and none of their rows', async () => {
    await addSampleBatch(place);
    const { code, stdout } = await run('list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^batch {2}state +done +with a result +without a result .*\n/);
    expect(stdout).toMatch(/\ndemo +finished +7\/7 +3 +1 failed, 1 unknown, 1 overdue, 1 cancelled +~?[\d.]+ +\d{4}-/);
    const { value } = await json('list', '--json');
    expect(value).toMatchObject([{ batch: 'demo', state: 'closed', exit: 'unknown', rows: 7, done: 7 }]);
  });
});

describe('status', () => {
  it('ends with the exit code of a finished batch and says why rows have no result', async () => {
    await addSampleBatch(place);
    const { code, stdout, stderr } = await run('status', 'demo');
    expect({ code, stderr }).toEqual({ code: 13, stderr: '' });
    expect(stdout).toContain('Batch "demo": finished, 7 of 7 rows done');
    expect(stdout).toContain('ended: 3 succeeded, 1 failed, 1 unknown, 1 overdue, 1 cancelled');
    expect(stdout).toContain('1 × BadRequest in d (row 4): -voice is not known');
    expect(stdout).not.toContain('\u001b');
    const { value } = await json('status', '--json');
    expect(value).toMatchObject({ outcomes: { succeeded: 3, unknown: 1 }, credits: { uncertain: 10 } });
    expect(value['failures']).toContainEqual({
      class: 'BadRequest',
      message: '-voice is not known',
      rows: 1,
      first_row: 4,
      first_id: 'd',
    });
  });

  it('ends with 75 while a batch is open, and names the command that goes on', async () => {
    await addOpenBatch();
    const { code, stdout } = await run('status');
    expect(code).toBe(75);
    expect(stdout).toContain('not ended: 2 waiting');
    expect(stdout).toContain('Batch "demo": open, 0 of 2 rows done');
    expect(stdout).toContain('It has no worker. Continue with: voxbatch run demo.csv');
    expect((await run('explain', 'b')).stdout).toContain('The batch has no worker. Continue with: voxbatch run');
  });

  it.each([
    ['in the home', () => pathsIn(place.folder).membersLock],
    ['at the ledger, of whatever server', () => `${place.ledger.place}.lock`],
  ])('does not say that nobody works on a batch while somebody is %s', async (_, lockOf) => {
    await addOpenBatch();
    const member = new KernelLock(lockOf());
    member.tryShared();
    try {
      const { stdout } = await run('status');
      expect(stdout).toContain('Batch "demo": running');
      expect(stdout).toContain(
        'Follow it: voxbatch watch demo. If it has no worker, continue with: voxbatch run demo.csv',
      );
    } finally {
      member.close();
    }
  });

  it.each([
    [{ class: 'OutOfCredits', message: '0 left' } as const, 12, 'out of credits'],
    [{ class: 'BadToken', message: 'no' } as const, 5, 'refused the token'],
    [{ class: 'OutOfCredits', message: '0 left' } as const, 12, 'Top up the account, then: voxbatch run demo.csv'],
    [undefined, 75, 'voxbatch resume demo && voxbatch run demo.csv'],
  ])('of a batch that is paused by %j ends with %i', async (reason, expected, words) => {
    await addOpenBatch();
    await place.ledger.setControl('demo', 'paused', reason);
    const { code, stdout } = await run('status');
    expect(code).toBe(expected);
    expect(stdout).toContain(words);
  });

  it('names the file that a refused token came from', async () => {
    await addOpenBatch();
    await place.ledger.setControl('demo', 'paused', { class: 'BadToken', message: 'no' });
    process.env['VOXBATCH_API_TOKEN_FILE'] = '/run/secrets/token';
    const { stdout } = await run('status');
    expect(stdout).toContain('Put the right token into /run/secrets/token (VOXBATCH_API_TOKEN_FILE), then run');
  });

  it('names the batches there are where there is none of that name', async () => {
    await addOpenBatch();
    const { code, stderr } = await run('status', 'other');
    expect(code).toBe(2);
    expect(stderr).toContain('There is no batch "other" here. Known: demo.');
  });
});

describe('a batch that did not spend all it was to', () => {
  const refusal = { class: 'OverBudget', message: 'Not sent: it would exceed the budget.' } as const;

  it('says what its budget is and what is left, and how to go on with rows that were skipped (12)', async () => {
    await addOpenBatch();
    await place.ledger.tune('demo', { budget: 20 });
    await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound'), 12);
    await place.ledger.giveUp(
      { batch: 'demo', row: 2, step: 'speech', take: 1, attempt: 1 },
      { outcome: 'skipped', failure: refusal },
    );
    await place.ledger.closeBatch('demo');
    const { code, stdout } = await run('status');
    expect(code).toBe(12);
    expect(stdout).toContain('credits: 12 charged, 0 reserved, 0 uncertain; 8 left of a budget of 20');
    expect(stdout).toContain('1 × OverBudget in b (row 2): Not sent');
    expect(stdout).toContain('1 row not sent: over the budget. To send it: voxbatch run demo.csv --budget 24');
    const { code: again, value } = await json('status', '--json');
    expect(again).toBe(12);
    expect(value).toMatchObject({ exit: 'outOfCredits', budget: 20, budget_left: 8, halted: null, halt: 'never' });
    expect((await json('list', '--json')).value).toMatchObject([{ exit: 'outOfCredits', budget_left: 8 }]);
    expect(await run('results')).toMatchObject({
      code: 12,
      stdout: expect.stringContaining('8 left of a budget'),
    });
  });

  it.each([
    // The first was quoted at 10 and charged 12, so the second counts with as much.
    [23, 'Raise the budget (voxbatch tune demo --budget 24), then: voxbatch redrive demo --rows b'],
    [24, 'The budget is sufficient now: voxbatch redrive demo --rows b'],
    [null, 'The budget is sufficient now: voxbatch redrive demo --rows b'],
  ])('explains at a budget of %j whether it has to be raised', async (budget, words) => {
    const { ledger, store } = place;
    await addOpenBatch();
    await ledger.tune('demo', { budget: 20 });
    await finish(place, keyOf(1), await store.put('demo/1-speech-1.mp3', 'sound'), 12);
    await ledger.giveUp(keyOf(2), { outcome: 'skipped', failure: refusal });
    await ledger.tune('demo', { budget });
    expect((await run('explain', 'b')).stdout).toContain(`Next\n  ${words}\n`);
  });

  it('that gave up by itself says why, and how to go on with the rest (11)', async () => {
    await addOpenBatch();
    await place.ledger.tune('demo', { halt: { when: 'soon', fail: 1, unit: 'rows' } });
    await place.ledger.giveUp(
      { batch: 'demo', row: 1, step: 'speech', take: 1, attempt: 1 },
      { outcome: 'failed', failure: { class: 'BadRequest', message: 'No.' } },
    );
    expect((await run('status')).code).toBe(75);
    expect((await run('list')).stdout).toMatch(/^demo +halting /m);
    await place.ledger.closeBatch('demo');
    const { code, stdout } = await run('status');
    expect(code).toBe(11);
    expect(stdout).toContain('Batch "demo": halted, 2 of 2 rows done');
    expect(stdout).toMatch(/The batch stopped itself: 1 .*failed, the threshold of --halt soon,fail=1/);
    expect(stdout).toContain('voxbatch redrive demo --where outcome=cancelled');
    const { value } = await json('status', '--json');
    expect(value).toMatchObject({
      exit: 'halted',
      halted: expect.stringContaining('--halt soon,fail=1'),
      halt: 'soon,fail=1',
    });
    expect((await run('list')).stdout).toMatch(/^demo +halted /m);
    expect((await run('results')).code).toBe(11);
  });

  it('names the next command for every outcome without a result', async () => {
    await addSampleBatch(place);
    const { stdout } = await run('status');
    expect(stdout).toContain(
      '1 row may have been charged; the API has no list to look it up in. If your account shows its job: ' +
        'voxbatch reconcile demo --adopt e=JOB. If it is not there, send again at a new charge: voxbatch reconcile demo --resubmit e\n',
    );
    expect(stdout).toContain('To fetch it, free: voxbatch redrive demo --where outcome=overdue');
    expect(stdout).toContain(
      '1 row rejected by the API, not charged. Why: voxbatch explain d --batch demo. ' +
        'Fix it in out/demo/failed.csv, then: voxbatch run out/demo/failed.csv\n',
    );
    expect(stdout).toContain('voxbatch redrive demo --where outcome=cancelled');
    expect((await run('results')).stdout).toContain('voxbatch reconcile demo');
  });
});

describe('watch', () => {
  it('ends at once on a finished or paused batch', async () => {
    await addOpenBatch();
    await place.ledger.setControl('demo', 'paused');
    const { code, stdout } = await run('watch');
    expect(code).toBe(75);
    expect(stdout).toContain('Batch "demo": paused');
  });

  it('shows plain lines until the batch is finished', async () => {
    await addOpenBatch();
    const lines = { out: '', err: '' };
    const watched = main(['watch', '--json'], { output: capture(lines) });
    while (!lines.err.includes('done')) await new Promise(setImmediate);
    expect(lines.err).toBe(
      'Batch "demo" has no worker. Waiting 10 s for one …\n0/2 done, 0 running, 0 failed, 0 unknown, 0 credits\n',
    );
    await place.ledger.giveUp({ batch: 'demo', row: 1, step: 'speech', take: 1, attempt: 1 }, { outcome: 'cancelled' });
    await place.ledger.giveUp({ batch: 'demo', row: 2, step: 'speech', take: 1, attempt: 1 }, { outcome: 'cancelled' });
    await place.ledger.closeBatch('demo');
    expect(await watched).toBe(10);
    expect(JSON.parse(lines.out)).toMatchObject({ state: 'closed', outcomes: { cancelled: 2 } });
  });

  it('ends with 75 and the next command where nobody works on the batch', async () => {
    await addOpenBatch();
    const lines = { out: '', err: '' };
    const watched = main(['watch'], { output: capture(lines) });
    while (!lines.err.includes('\n')) await new Promise(setImmediate);
    const now = performance.now();
    const later = jest.spyOn(performance, 'now').mockReturnValue(now + 60_000);
    expect(await watched).toBe(75);
    later.mockRestore();
    expect(lines.out).toContain('It has no worker. Continue with: voxbatch run demo.csv');
  });

  it('ends at Ctrl-C and says that the batch is not touched', async () => {
    await addOpenBatch();
    const watched = run('watch');
    while (process.listenerCount('SIGINT') === 0) await new Promise(setImmediate);
    process.emit('SIGINT', 'SIGINT');
    const { code, stderr } = await watched;
    expect(code).toBe(130);
    expect(stderr).toContain('voxbatch watch demo');
    expect((await place.ledger.findBatch('demo'))?.control).toBe('running');
    expect(process.listenerCount('SIGINT')).toBe(0);
  });
});

describe('explain', () => {
  it('tells requests, failure, its class and what to do', async () => {
    await addSampleBatch(place);
    const { code, stdout } = await run('explain', 'e', '--batch', 'demo');
    expect(code).toBe(0);
    expect(stdout).toContain('Row 5 of batch "demo": unknown\n  id e, line 6 of demo.csv, kind tts');
    expect(stdout).toContain('speech, take 1, attempt 1: revoked: it was never sent');
    expect(stdout).toContain('speech, take 1, attempt 2: unknown: it may have been charged');
    expect(stdout).toContain('credits: quoted 10, charged perhaps');
    expect(stdout).toContain('Cause: after a paid request was sent');
    expect(stdout).toMatch(/Next\n {2}The API has no list .*: voxbatch reconcile demo --resubmit e\n/);
    expect(stdout).not.toMatch(/try again/i);
  });

  it('tells a chain in order, with its files, as JSON', async () => {
    await addSampleBatch(place);
    const { value } = await json('explain', '3', '--json');
    expect(value).toMatchObject({ row: 3, id: 'c', outcome: 'succeeded', files: [{ name: 'media/c.mp4' }] });
    const attempts = value['attempts'] as readonly Record<string, unknown>[];
    expect(
      attempts.map(({ step, attempt, verdict }) => `${String(step)} ${String(attempt)} ${String(verdict)}`),
    ).toEqual(['speech 1 not-accepted', 'speech 2 accepted', 'lip-sync 1 accepted']);
    expect(attempts[0]).toMatchObject({ failure: { class: 'RateLimited' } });
  });

  it('takes an id before a number of the same digits', async () => {
    await addOpenBatch();
    expect((await json('explain', '2', '--json')).value).toMatchObject({ row: 1, id: '2' });
    expect((await json('explain', '1', '--json')).value).toMatchObject({ row: 1, id: '2' });
  });

  it('keeps control characters of a cell away from the terminal', async () => {
    await addBatch(place, ['id', 'text'], [{ id: 'x', kind: 'tts', input: ['x', 'a\u001b[31mb\nc'] }]);
    const { stdout } = await run('explain', 'x');
    expect(stdout).toContain('a [31mb c');
  });

  it('refuses a row that is not there', async () => {
    await addOpenBatch();
    const { code, stderr } = await run('explain', '7');
    expect(code).toBe(2);
    expect(stderr).toContain('Expected an id, or a number from 1 to 2.');
  });
});
