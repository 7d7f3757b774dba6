import { hostname, userInfo } from 'node:os';
import { env } from 'node:process';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { addSpeech, finish, finishUnfit, keyOf } from '../../results/sample-batch.ts';
import { ANN } from '../../support/ann.ts';
import { expectRefused, expectRun, json, placeForEach, run } from '../command-line.ts';

const place = placeForEach();

beforeEach(async () => {
  await addSpeech(place, 'a', 'b', 'c');
});

/** Ends row a with a result that did not pass a check, and the batch with it. */
async function endUnfit(): Promise<void> {
  await finishUnfit(place, 1);
  for (const row of [2, 3])
    await finish(place, keyOf(row), await place.store.put(`demo/${row}-speech-1.mp3`, 'hello'), 3);
  await place.ledger.closeBatch('demo');
}

/** What the history of the batch has after its start, by kind. */
async function actions(): Promise<readonly Record<string, unknown>[]> {
  const { value } = await json('history demo');
  return (value['actions'] as Record<string, unknown>[]).slice(1);
}

describe('every command that changes a batch', () => {
  it.each([
    ['pause demo', 'pause'],
    ['stop demo', 'stop'],
    ['stop demo --now', 'stop'],
    ['tune demo --rate 3', 'tune'],
  ])('%s is in its history, with user and host, and why', async (line, what) => {
    await run(line, '--reason', 'the new voices are bad');
    const who = `${userInfo().username}@${hostname()}`;
    expect(await actions()).toMatchObject([{ what, by: 'person', who, reason: 'the new voices are bad' }]);
  });

  it.each([
    ['redrive demo --accept a', 'accept', { rows: 1, ranges: [[1, 1]] }],
    ['clean demo --all --yes', 'clean', { removed: ['media', 'rows'] }],
  ])('%s, of one that is finished', async (line, what, details) => {
    await endUnfit();
    await expectRun([line, '--reason', 'why not'], 0);
    expect(await actions()).toMatchObject([{ what, by: 'person', reason: 'why not', ...details }]);
  });

  it.each([[''], ['--compared']])('ledger accept-copy %s, of each batch that it paused', async (flag) => {
    await run('ledger accept-copy');
    if (flag !== '') await run(`ledger accept-copy ${flag}`);
    const who = `${userInfo().username}@${hostname()}`;
    const kinds = ['accept-copy', 'pause', ...(flag === '' ? [] : ['compare-copy'])];
    expect(await actions()).toMatchObject(kinds.map((what) => ({ what, by: 'person', who })));
    // In a file, too: whoever restores a backup is asked.
    if (flag === '') {
      await expectRun('resume demo', 4, 'voxbatch ledger accept-copy --compared');
      return;
    }
    await expectRun('resume demo', 0);
    // Once it was resumed, a comparison says nothing about it.
    await run('ledger accept-copy --compared');
    expect((await actions()).at(-1)).toMatchObject({ what: 'resume' });
  });

  it('is by the operator that the environment names, where a login is shared', async () => {
    env['VOXBATCH_OPERATOR'] = ' Ann of the night shift ';
    await expectRun('pause demo', 0);
    await expectRun('resume demo', 0);
    expect(await actions()).toMatchObject([
      { what: 'pause', who: 'Ann of the night shift', reason: null },
      { what: 'resume', who: 'Ann of the night shift' },
    ]);
    env['VOXBATCH_OPERATOR'] = 'two\nlines';
    await expectRun('pause demo', 2, 'VOXBATCH_OPERATOR: expected a name of 1 to 200 characters in one line');
  });
});

describe('history', () => {
  it('tells it in words, the newest last', async () => {
    await place.ledger.setControl('demo', 'paused', { class: 'OutOfCredits', message: 'The credits are used up.' });
    await place.ledger.tune('demo', { budget: 12, limits: { rate: 4 } }, { ...ANN, reason: 'more credits' });
    await place.ledger.setControl('demo', 'running', undefined, ANN);
    const { stdout } = await expectRun('history', 0);
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    const lines = [
      'by itself: start',
      String.raw`by itself: pause \(The credits are used up\.\)`,
      String.raw`ann@home: tune, --budget none to 12, --rate none to 4 \(more credits\)`,
      'ann@home: resume',
    ];
    expect(stdout).toMatch(new RegExp(`^${lines.map((line) => `${time}, ${line}\n`).join('')}$`));
  });

  it('has those of some kinds, or of some time', async () => {
    await run('pause demo');
    await run('resume demo');
    expect((await json('history demo --kind pause,tune')).value).toMatchObject({ actions: [{ what: 'pause' }] });
    expect((await json('history demo --from 2026-01-01T00:00Z')).value).toMatchObject({ actions: { length: 3 } });
    const none = await expectRun('history demo --to 2020-01-01T00:00Z', 0, { out: '' });
    expect(none.stderr).toContain('Nothing is on record for batch "demo" that fits.');
  });

  it('is that of a schedule, too', async () => {
    await place.ledger.pauseFirings('nightly', 1, '', { ...ANN, reason: 'holidays' });
    expect((await json('history --schedule nightly')).value).toMatchObject({
      batch: null,
      schedule: 'nightly',
      actions: [{ what: 'pause-schedule', who: 'ann@home', reason: 'holidays' }],
    });
    await expectRefused('history demo --schedule nightly', '"demo" or "nightly"');
  });

  it.each([
    ['--kind paused', '--kind: expected one of start, extend, pause'],
    ['--from yesterday', '--from: expected a date and time with its zone'],
    ['nothing', 'There is no batch "nothing"'],
  ])('refuses %s', (words, said) => expectRun(`history ${words}`, 2, said));
});

it('explain tells what was done to the row, and not what was done to others', async () => {
  await endUnfit();
  await run('redrive demo --accept a --reason', 'good enough');
  expect((await json('explain a')).value).toMatchObject({
    actions: [{ what: 'accept', rows: 1, reason: 'good enough' }],
  });
  await expectRun('explain a', 0, { out: /Done to it\n {2}\S+Z, .*: accept, 1 row \(good enough\)\n/ });
  await expectRun('explain b', 0, { not: 'Done to it' });
});
