import { describe, expect, it } from '@jest/globals';
import { aBatch, aKey, aRow, INTENT } from '../../ledger/setup.ts';
import { invocationForEach, find, STATES } from '../steering.ts';
import { run, json } from '../command-line.ts';

const invocation = invocationForEach();

describe('tune', () => {
  it('without a flag prints what holds, and changes nothing, also while the batch is loaded', async () => {
    const { ledger } = invocation;
    await STATES.loading(ledger);
    const before = await find(ledger);
    const { code, stdout, stderr } = await run('tune');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Batch "b": loading\n {2}flag +current value +meaning\n {2}--budget +none +Spending limit in credits/,
    );
    expect(stdout).toMatch(/--budget +none /);
    expect(await find(ledger)).toEqual(before);
  });

  it('changes everything that is given, and prints it as it is written on the command line', async () => {
    const { ledger } = invocation;
    await STATES.untouched(ledger);
    await ledger.intend(aKey(1), INTENT);
    const flags = ['--rate', '2.5', '--poll-rate', '9', '--window', '30', '--submits', '4', '--budget', '100'];
    const policies = ['--halt', 'soon,fail=5%', '--on-unknown', 'fail', '--retakes', '2'];
    const hooks = ['--on-end', './after.sh', '--notify', 'https://hooks.example/secret'];
    expect(await json('tune', 'b', ...flags, ...policies, ...hooks, '--json')).toEqual({
      code: 0,
      value: {
        batch: 'b',
        state: 'open',
        control: 'running',
        halted: null,
        limits: { rate: 2.5, poll_rate: 9, window: 30, submits: 4 },
        budget: 100,
        budget_left: 97.5,
        halt: 'soon,fail=5%',
        on_end: './after.sh',
        notify: 'https://hooks.example/…',
        on_unknown: 'fail',
        retakes: 2,
        cache: 'off',
      },
    });
    const { stdout } = await run('tune', '--budget', '80', '--rate', 'none', '--poll-rate', 'none');
    expect(stdout).toMatch(/--budget +80, 77.5 left \(was 100\) /);
    expect(stdout).toMatch(/--rate +none \(was 2.5\) /);
    expect(stdout).toMatch(/--window +30 /);
    await run('tune', '--budget', 'none');
    const { settings } = await find(ledger);
    expect(settings).toMatchObject({
      limits: { rate: null, pollRate: null, window: 30, submits: 4 },
      budget: null,
      halt: { when: 'soon', fail: 5, unit: 'percent' },
      onUnknown: 'fail',
      retakes: 2,
    });
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open', control: 'running' });
  });

  it('loses no change where several people change different things at once', async () => {
    await STATES.running(invocation.ledger);
    const changes = [
      ['--rate', '3'],
      ['--poll-rate', '4'],
      ['--window', '5'],
      ['--submits', '6'],
      ['--budget', '7'],
      ['--retakes', '8'],
      ['--halt', 'now,fail=9'],
      ['--on-unknown', 'resubmit'],
    ];
    const ends = await Promise.all(changes.map((flags) => run('tune', ...flags)));
    expect(ends.map(({ code }) => code)).toEqual(changes.map(() => 0));
    expect((await find(invocation.ledger)).settings).toMatchObject({
      limits: { rate: 3, pollRate: 4, window: 5, submits: 6 },
      budget: 7,
      retakes: 8,
      halt: { when: 'now', fail: 9, unit: 'rows' },
      onUnknown: 'resubmit',
    });
  });

  it.each([
    ['running', 'The batch has no worker now. This applies when it continues: voxbatch run b.csv'],
    ['paused', 'The batch is paused. This applies when it continues: voxbatch resume b'],
    ['stopping', 'This applies only to rows that you redrive later'],
    ['finished', 'The batch is finished. This applies to rows that you redrive.'],
    ['halted', 'voxbatch redrive b --where outcome=cancelled'],
  ] as const)('says from when on it matters: %s', async (state, words) => {
    await STATES[state](invocation.ledger);
    const { code, stderr } = await run('tune', '--window', '9');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(words) });
  });

  it('says that a budget is used up', async () => {
    const { ledger } = invocation;
    await STATES.running(ledger);
    expect((await run('tune', '--budget', '2')).stderr).toContain('Unsent rows end skipped');
    expect((await run('tune', '--budget', '3')).stderr).not.toContain('skipped');
  });

  it('refuses a budget where a row that is still to be sent has no price, and changes nothing (3)', async () => {
    const { ledger } = invocation;
    await ledger.createBatch(aBatch());
    await ledger.addRows('b', [aRow(1), { ...aRow(2), quoted: null }]);
    await ledger.openBatch('b', 2);
    const { code, stdout, stderr } = await run('tune', '--budget', '50', '--rate', '3');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('No price is known for r2 (row 2)');
    expect((await find(ledger)).settings).toEqual(aBatch().settings);
    await ledger.giveUp({ batch: 'b', row: 2, step: 'speech', take: 1, attempt: 1 }, { outcome: 'cancelled' });
    expect(await run('tune', '--budget', '50')).toMatchObject({ code: 0 });
  });

  it.each([
    ['--rate', '0'],
    ['--window', 'none'],
    ['--halt', 'soon'],
    ['--budget', '-1'],
    ['--retakes', '99'],
  ])('refuses %s %s (2)', async (flag, value) => {
    await STATES.untouched(invocation.ledger);
    const { code, stderr } = await run('tune', `${flag}=${value}`);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Nothing was spent.') });
    expect((await find(invocation.ledger)).settings).toEqual(aBatch().settings);
  });
});
