import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { limiterScope } from '../../../contract/names.ts';
import { pathsIn } from '../../../embedded/home.ts';
import { KernelLock } from '../../../embedded/kernel-lock.ts';
import { addBatch, addSampleBatch, finish, keyOf } from '../../results/sample-batch.ts';
import { main } from '../../../starters/main.ts';
import { ANN } from '../../support/ann.ts';
import { requirePublished } from '../../support/published-views.ts';
import { capture, expectRun, json, placeForEach, run } from '../command-line.ts';

const place = placeForEach();

const ROWS = [
  { id: '2', kind: 'tts', input: ['2', 'one'] },
  { id: 'b', kind: 'tts', input: ['b', 'two'] },
] as const;

const addOpenBatch = (): Promise<void> => addBatch(place, ['id', 'text'], ROWS);

describe('without a ledger', () => {
  const leave = (): void => {
    process.env['VOXBATCH_HOME'] = join(process.cwd(), 'home');
  };

  it.each(['status', 'watch', 'page', 'explain 1', 'results', 'verify'])(
    '%s says how to start, and makes nothing',
    async (line) => {
      leave();
      await expectRun(line, 2, { out: '', err: 'Start one: voxbatch run MANIFEST' });
      expect([existsSync('home'), existsSync('out')]).toEqual([false, false]);
    },
  );

  it('list says that there is no batch yet, which is no error, and makes nothing', async () => {
    leave();
    await expectRun('list', 0, { out: '', err: 'There is no batch here yet. Start one: voxbatch run MANIFEST' });
    expect(await json('list')).toMatchObject({ code: 0, value: [] });
    expect(existsSync('home')).toBe(false);
  });
});

it('list shows every batch, and none of their rows', async () => {
  await addSampleBatch(place);
  const row = /\ndemo +finished +3\/7 +1 failed, 1 unknown, 1 overdue, 1 cancelled +~?[\d.]+ +\d{4}-/;
  await expectRun('list', 0, { out: [/^batch {2}state +done +without a result .*\n/, row] });
  const listed = { batch: 'demo', state: 'closed', exit: 'unknown', rows: 7, done: 3, ended: 7 };
  expect((await json('list')).value).toMatchObject([listed]);
});

describe('status', () => {
  it('ends with the exit code of a finished batch, and says why rows have no result and what to do about each', async () => {
    await addSampleBatch(place);
    const out = [
      'Batch "demo": finished, 3 of 7 rows done',
      'ended: 3 succeeded, 1 failed, 1 unknown, 1 overdue, 1 cancelled',
      '1 × BadRequest in d (row 4): -voice is not known',
      '1 row may have been charged; the API has no list to look it up in. If your account shows its job: ' +
        'voxbatch reconcile demo --adopt e=JOB. If it is not there, send again at a new charge: voxbatch reconcile demo --resubmit e\n',
      'To fetch it, free: voxbatch redrive demo --where outcome=overdue',
      '1 row rejected by the API, not charged. Why: voxbatch explain d --batch demo. ' +
        'Fix it in out/demo/failed.csv, then: voxbatch run out/demo/failed.csv\n',
      'voxbatch redrive demo --where outcome=cancelled',
    ];
    await expectRun('status demo', 13, { out, err: '', not: '\u001b' });
    const { value } = await json('status');
    expect(value).toMatchObject({ outcomes: { succeeded: 3, unknown: 1 }, credits: { uncertain: 10 } });
    const failure = { error_class: 'BadRequest', message: '-voice is not known', rows: 1, first_row: 4, first_id: 'd' };
    expect(value['failures']).toContainEqual(failure);
    await expectRun('results', 13, { out: 'voxbatch reconcile demo' });
  });

  it('ends with 75 while a batch is open, and names the command that goes on', async () => {
    await addOpenBatch();
    const out = ['not ended: 2 waiting', 'Batch "demo": open, 0 of 2 rows done'];
    await expectRun('status', 75, { out: [...out, 'It has no worker. Continue with: voxbatch run demo.csv'] });
    await expectRun('explain b', 0, { out: 'The batch has no worker. Continue with: voxbatch run' });
    await expectRun('status other', 2, 'There is no batch "other" here. Known: demo.');
    await expectRun('page other', 2, 'There is no batch "other" here. Known: demo.');
    await expectRun('page demo --port 99999', 2, 'expected a port, such as 8085');
  });

  it('says since when the API has been silent, and to what rate its refusals hold the batch', async () => {
    await addOpenBatch();
    const [batch] = await place.ledger.listBatches();
    if (batch === undefined) throw new Error('Expected a batch.');
    const scope = limiterScope({ realm: batch }, 'create');
    const { apiUrl, account } = batch;
    await place.ledger.beat({ owner: 'w1', apiUrl, account });
    expect((await json('status')).value).toMatchObject({ silent_since: null, limited: null });
    const now = Date.now();
    const refusal = { owner: 'p', counted: 48, stated: null, sentAt: now, now };
    await place.ledger.updateLimiter(scope, { type: 'refused', ...refusal });
    await place.ledger.updateLimiter(scope, { type: 'troubled', now: now + 1_000, sentAt: now - 30_000 });
    const limited = { rate: expect.any(Number), refused_at: new Date(now).toISOString() };
    const silent = new Date(now - 30_000).toISOString();
    const { value } = await json('status');
    expect(value).toMatchObject({ silent_since: silent, limited, oldest: null });
    const out = [
      /at most [\d.]+ requests\/s, because the API refused more \(429\), last 0:\d\d ago/,
      /has not answered for 0:[345]/,
    ];
    await expectRun('status', 75, { out });
  });

  it.each([
    ['in the home', () => pathsIn(place.folder).membersLock],
    ['at the ledger, of whatever server', () => `${place.ledger.place}.lock`],
  ])('does not say that nobody works on a batch while somebody is %s', async (_, lockOf) => {
    await addOpenBatch();
    const member = new KernelLock(lockOf());
    member.tryShared();
    try {
      const next = 'Follow it: voxbatch watch demo. If it has no worker, continue with: voxbatch run demo.csv';
      await expectRun('status', 75, { out: ['Batch "demo": running', next] });
      // One that is known to live needs no other.
      await place.ledger.beat({ owner: 'w1', ...(await place.batch()) });
      await expectRun('status', 75, { out: [/Follow it: voxbatch watch demo\n?$/] });
    } finally {
      member.close();
    }
  });

  it.each([
    ['OutOfCredits', 12, ['out of credits', 'Top up the account, then: voxbatch run demo.csv']],
    ['BadToken', 5, ['refused the token', 'Put the right token into /run/token (VOXBATCH_API_TOKEN_FILE), then run']],
    [undefined, 75, ['voxbatch resume demo && voxbatch run demo.csv']],
  ] as const)('of a batch that is paused by %j ends with %i', async (reason, code, out) => {
    await addOpenBatch();
    process.env['VOXBATCH_API_TOKEN_FILE'] = '/run/token';
    await place.ledger.setControl('demo', 'paused', reason && { class: reason, message: 'no' });
    await expectRun('status', code, { out: [...out, /is paused by itself at \d{4}-\d\d-\d\dT[\d:.]+Z[.:]/] });
  });

  it('says who paused the batch, when and why', async () => {
    await addOpenBatch();
    expect((await json('status')).value).toMatchObject({ paused_by: null });
    for (const reason of ['old', 'bad\nvoices']) {
      await place.ledger.setControl('demo', 'paused', undefined, { ...ANN, reason });
      // A second one changes nothing, and is not on record.
      await place.ledger.setControl('demo', 'paused', undefined, { ...ANN, reason: 'again' });
      if (reason === 'old') await place.ledger.setControl('demo', 'running', undefined, ANN);
    }
    const out =
      /is paused by ann@home at \d{4}-\d\d-\d\dT[\d:.]+Z \(bad voices\)\. Continue with: voxbatch resume demo/;
    await expectRun('status', 75, { out });
    await expectRun('watch', 75, { out });
    const by = { at: expect.stringMatching(/^\d{4}-/), by: 'person', who: 'ann@home', reason: 'bad\nvoices' };
    expect((await json('status')).value).toMatchObject({ control: 'paused', paused_by: by });
    await place.ledger.setControl('demo', 'running', undefined, ANN);
    expect((await json('status')).value).toMatchObject({ control: 'running', paused_by: null });
  });
});

describe('a batch that did not spend all it was to', () => {
  const failure = { class: 'OverBudget', message: 'Not sent: it would exceed the budget.' } as const;

  /** The budget has room for the first of two rows. */
  async function spend(): Promise<void> {
    const { ledger, store } = place;
    await addOpenBatch();
    await ledger.tune('demo', { budget: 20 });
    await finish(place, keyOf(1), await store.put('demo/1-speech-1.mp3', 'sound'), 12);
    await ledger.giveUp(keyOf(2), { outcome: 'skipped', failure });
  }

  it('says what its budget is and what is left, and how to go on with rows that were skipped (12)', async () => {
    await spend();
    await place.ledger.closeBatch('demo');
    const out = [
      'credits: 12 charged, 0 reserved, 0 uncertain; 8 left of a budget of 20',
      '1 × OverBudget in b (row 2): Not sent',
      '1 row not sent: over the budget. To send it: voxbatch run demo.csv --budget 24',
    ];
    await expectRun('status', 12, { out });
    const { code, value } = await json('status');
    const end = { exit: 'skipped', exit_code: 12, retry: 'after-change', state: 'closed', control: null };
    const left = { ...end, budget: 20, budget_left: 8, halted: null, halt: 'never' };
    expect({ code, value }).toMatchObject({ code: 12, value: left });
    expect((await json('list')).value).toMatchObject([{ exit: 'skipped', budget_left: 8 }]);
    await expectRun('results', 12, { out: '8 left of a budget' });
  });

  it.each([
    // The first was quoted at 10 and charged 12, so the second counts with as much.
    [23, 'Raise the budget (voxbatch tune demo --budget 24), then: voxbatch redrive demo --rows b'],
    [24, 'The budget is sufficient now: voxbatch redrive demo --rows b'],
    [null, 'The budget is sufficient now: voxbatch redrive demo --rows b'],
  ])('explains at a budget of %j whether it has to be raised', async (budget, words) => {
    await spend();
    await place.ledger.tune('demo', { budget });
    await expectRun('explain b', 0, { out: `Next\n  ${words}\n` });
  });

  it('that gave up by itself says why, and how to go on with the rest (11)', async () => {
    const { ledger } = place;
    await addOpenBatch();
    await ledger.tune('demo', { halt: { when: 'soon', fail: 1, unit: 'rows' } });
    await ledger.giveUp(keyOf(1), { outcome: 'failed', failure: { class: 'BadRequest', message: 'No.' } });
    await expectRun('status', 75);
    await expectRun('list', 0, { out: /^demo +halting /m });
    await ledger.closeBatch('demo');
    const why = /The batch stopped itself: 1 .*failed, the threshold of --halt soon,fail=1/;
    const next = 'voxbatch redrive demo --where outcome=cancelled';
    await expectRun('status', 11, { out: ['Batch "demo": halted, 0 of 2 rows done', why, next] });
    const halted: unknown = expect.stringContaining('--halt soon,fail=1');
    expect((await json('status')).value).toMatchObject({ exit: 'halted', halted, halt: 'soon,fail=1' });
    await expectRun('list', 0, { out: /^demo +halted /m });
    await expectRun('results', 11);
  });
});

describe('watch', () => {
  const lines = { out: '', err: '' };
  const begin = async (...flags: string[]): Promise<number> => {
    Object.assign(lines, { out: '', err: '' });
    return main(['watch', ...flags], { output: capture(lines) });
  };
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise(setImmediate);
  };

  it('ends at once on a finished or paused batch', async () => {
    await addOpenBatch();
    await place.ledger.setControl('demo', 'paused');
    await expectRun('watch', 75, { out: 'Batch "demo": paused' });
  });

  it('shows plain lines until the batch is finished', async () => {
    await addOpenBatch();
    const watched = begin();
    await until(() => lines.err.includes('done'));
    expect(lines.err).toBe(
      'Batch "demo" has no worker. Waiting 10 s for one …\n0/2 done, 0 running, 0 failed, 0 unknown, 0 credits\n',
    );
    for (const row of [1, 2]) await place.ledger.giveUp(keyOf(row), { outcome: 'cancelled' });
    await place.ledger.closeBatch('demo');
    expect(await watched).toBe(10);
    expect(lines.out).toContain('Batch "demo": finished, 0 of 2 rows done');
  });

  it.each(['--json', '--progress=json'])('%s tells events, a line each, and ends with the exit code', async (flag) => {
    await addOpenBatch();
    const watched = begin(flag);
    await until(() => lines.out.includes('progress'));
    for (const row of [1, 2]) await place.ledger.giveUp(keyOf(row), { outcome: 'cancelled' });
    await place.ledger.closeBatch('demo');
    expect(await watched).toBe(10);
    requirePublished(['watch', '--json'], lines.out);
    const events = lines.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const progress = { type: 'progress', batch: 'demo', rows: 2, done: 0, ended: 0, states: { waiting: 2 } };
    const result = { state: 'closed', outcomes: { cancelled: 2 }, done: 0, ended: 2 };
    expect(events).toMatchObject([
      { type: 'deserted' },
      progress,
      { type: 'result', result },
      { type: 'ended', exit: 'failures', exit_code: 10, message: null },
    ]);
    expect(lines.err).not.toContain('done');
  });

  it('--progress json ends with the exit code whatever goes wrong', async () => {
    for (const flags of ['nobody --json', '--json --nothing']) {
      const { stdout } = await run(`watch ${flags}`);
      expect(JSON.parse(stdout)).toMatchObject({ type: 'ended', exit_code: 2, message: expect.any(String) });
    }
  });

  it('ends with 75 and the next command where nobody works on the batch', async () => {
    await addOpenBatch();
    const watched = begin();
    await until(() => lines.err.includes('\n'));
    const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    expect(await watched).toBe(75);
    later.mockRestore();
    expect(lines.out).toContain('It has no worker. Continue with: voxbatch run demo.csv');
  });

  it('ends at Ctrl-C and says that the batch is not touched', async () => {
    await addOpenBatch();
    const watched = begin();
    await until(() => process.listenerCount('SIGINT') > 0);
    process.emit('SIGINT', 'SIGINT');
    expect(await watched).toBe(130);
    expect(lines.err).toContain('voxbatch watch demo');
    expect((await place.ledger.findBatch('demo'))?.control).toBe('running');
    expect(process.listenerCount('SIGINT')).toBe(0);
  });
});

describe('explain', () => {
  it('tells requests, failure, its class and what to do', async () => {
    await addSampleBatch(place);
    const out = [
      'Row 5 of batch "demo": unknown\n  id e, line 6 of demo.csv, kind tts',
      'speech, take 1, attempt 1: revoked: it was never sent',
      'speech, take 1, attempt 2: unknown: it may have been charged',
      'credits: quoted 10, may have been charged',
      'Cause: after a paid request was sent',
      /Next\n {2}The API has no list .*: voxbatch reconcile demo --resubmit e\n/,
    ];
    await expectRun('explain e --batch demo', 0, { out, not: /try again/i });
  });

  it('tells a chain in order, with its files, as JSON', async () => {
    await addSampleBatch(place);
    const { value } = await json('explain 3');
    expect(value).toMatchObject({ row: 3, id: 'c', outcome: 'succeeded', files: [{ name: 'media/c.mp4' }] });
    expect(value['attempts']).toMatchObject([
      { step: 'speech', attempt: 1, verdict: 'not-accepted', failure: { error_class: 'RateLimited' } },
      { step: 'speech', attempt: 2, verdict: 'accepted' },
      { step: 'lip-sync', attempt: 1, verdict: 'accepted' },
    ]);
  });

  it('takes an id before a number of the same digits, and refuses a row that is not there', async () => {
    await addOpenBatch();
    for (const word of ['2', '1']) expect((await json('explain', word)).value).toMatchObject({ row: 1, id: '2' });
    await expectRun('explain 7', 2, 'Expected an id, or a number from 1 to 2.');
  });

  it('keeps control characters of a cell away from the terminal', async () => {
    await addBatch(place, ['id', 'text'], [{ id: 'x', kind: 'tts', input: ['x', 'a\u001b[31mb\nc'] }]);
    await expectRun('explain x', 0, { out: 'a [31mb c', not: '\u001b' });
  });
});
