import { describe, expect, it } from '@jest/globals';
import { aBatch, aKey, aRow, INTENT } from '../../ledger/setup.ts';
import { find, STATES } from '../reached-states.ts';
import { expectRefused, expectRun, json, placeForEach, run } from '../command-line.ts';

const place = placeForEach();

describe('tune', () => {
  it('without a flag prints what holds, and changes nothing, also while the batch is loaded', async () => {
    await STATES.loading(place.ledger);
    const before = await find(place.ledger);
    const out = /^Batch "b": loading\n {2}flag +current value +meaning\n {2}--budget +none +Spending limit in credits/;
    await expectRun('tune', 0, { out, err: '' });
    expect(await find(place.ledger)).toEqual(before);
  });

  it('changes everything that is given, and prints it as it is written on the command line', async () => {
    const { ledger } = place;
    await STATES.untouched(ledger);
    await ledger.intend(aKey(1), INTENT);
    const limits = '--rate 2.5 --poll-rate 9 --window 30 --submits 4 --budget 100';
    const policies = '--halt soon,fail=5% --on-unknown fail --retakes 2';
    const hooks = '--on-end ./after.sh --notify https://hooks.example/secret';
    expect(await json(`tune b ${limits} ${policies} ${hooks}`)).toEqual({
      code: 0,
      value: {
        ...{ batch: 'b', state: 'open', control: 'running', halted: null },
        limits: { rate: 2.5, poll_rate: 9, window: 30, submits: 4 },
        ...{ budget: 100, budget_left: 97.5 },
        ...{ halt: 'soon,fail=5%', on_end: './after.sh', notify: 'https://hooks.example/…' },
        ...{ on_unknown: 'fail', retakes: 2, cache: 'off' },
      },
    });
    const out = [/--budget +80, 77.5 left \(was 100\) /, /--rate +none \(was 2.5\) /, /--window +30 /];
    await expectRun('tune --budget 80 --rate none --poll-rate none', 0, { out });
    await run('tune --budget none');
    expect((await find(ledger)).settings).toMatchObject({
      limits: { rate: null, pollRate: null, window: 30, submits: 4 },
      budget: null,
      halt: { when: 'soon', fail: 5, unit: 'percent' },
      onUnknown: 'fail',
      retakes: 2,
    });
    expect(await find(ledger)).toMatchObject({ state: 'open', control: 'running' });
  });

  it.each([
    ['running', 'The batch has no worker now. This applies when it continues: voxbatch run b.csv'],
    ['paused', 'The batch is paused. This applies when it continues: voxbatch resume b'],
    ['stopping', 'This applies only to rows that you redrive later'],
    ['finished', 'The batch is finished. This applies to rows that you send from now on.'],
    ['halted', 'voxbatch redrive b --where outcome=cancelled'],
  ] as const)('says from when on it matters: %s', async (state, words) => {
    await STATES[state](place.ledger);
    await expectRun('tune --window 9', 0, words);
  });

  it('says that a budget is used up', async () => {
    await STATES.running(place.ledger);
    await expectRun('tune --budget 2', 0, 'Unsent rows end skipped');
    await expectRun('tune --budget 3', 0, { not: 'Unsent rows end skipped' });
  });

  it('refuses a budget where a row that is still to be sent has no price, and changes nothing (3)', async () => {
    const { ledger } = place;
    const loading = await ledger.createBatch(aBatch());
    await ledger.addRows(loading, [aRow(1), { ...aRow(2), quoted: null }]);
    await ledger.openBatch(loading, 2);
    await expectRun('tune --budget 50 --rate 3', 3, { out: '', err: 'No price is known for r2 (row 2)' });
    expect((await find(ledger)).settings).toEqual(aBatch().settings);
    await ledger.giveUp(aKey(2), { outcome: 'cancelled' });
    await expectRun('tune --budget 50', 0);
  });

  it.each(['--rate=0', '--window=none', '--halt=soon', '--budget=-1', '--retakes=99'])(
    'refuses %s (2)',
    async (flag) => {
      await STATES.untouched(place.ledger);
      await expectRefused(`tune ${flag}`, []);
      expect((await find(place.ledger)).settings).toEqual(aBatch().settings);
    },
  );
});
