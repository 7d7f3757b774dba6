import { describe, expect, it } from '@jest/globals';
import type { By } from '../../../contract/actions.ts';
import { ANN } from '../../support/ann.ts';
import { accept, fail, lose, redrive, stop } from '../actions.ts';
import { aBatch, aKey, aRow, INTENT, ledger, ledgerForEachTest, redriveNow } from '../setup.ts';

const BERT: By = { actor: { type: 'person', name: 'bert' }, command: 'c2', reason: 'the voices are bad' };
const SPEC = { times: { type: 'every', everyMs: 60_000 }, timezone: 'UTC' } as never;
const SETTINGS = { run: { manifest: 'a' }, spec: SPEC, apiUrl: 'u', account: 'a' };

ledgerForEachTest(async () => {
  const loading = await ledger.createBatch(aBatch());
  await ledger.addRows(loading, [aRow(1), aRow(2), aRow(3)]);
  await ledger.openBatch(loading, 3, { ...ANN, credits: 7.5 });
});

/** What is on record of the batch after its start: kinds, names, reasons. */
async function kinds(): Promise<readonly string[]> {
  const [, ...later] = await ledger.actionsOf({ batch: 'b' });
  return later.map(
    ({ kind, actor, reason }) => `${kind} ${actor.type} ${actor.name}${reason === null ? '' : `: ${reason}`}`,
  );
}

describe('what is done to a batch', () => {
  it('is on record with who, when and why, and the price that was accepted', async () => {
    expect(await ledger.actionsOf({ batch: 'b' })).toEqual([
      {
        ...{ number: 1, command: 'c1', at: expect.any(Number), kind: 'start', batch: 'b', schedule: null },
        ...{ actor: ANN.actor, reason: null, details: { budget: null, credits: 7.5 }, rows: null },
      },
    ]);
    await ledger.setControl('b', 'paused', undefined, BERT);
    await ledger.tune('b', { budget: 9, limits: { rate: 5 }, notify: 'https://hook.example/secret' }, BERT);
    await ledger.setControl('b', 'running', undefined, ANN);
    await ledger.stopNow('b', ANN);
    expect(await kinds()).toEqual([
      'pause person bert: the voices are bad',
      'tune person bert: the voices are bad',
      'resume person ann@home',
      'stop person ann@home',
    ]);
    const [, , tuned, , stopped] = await ledger.actionsOf({ batch: 'b' });
    expect(tuned?.details).toEqual({
      changed: {
        budget: { from: 'none', to: '9' },
        rate: { from: 'none', to: '5' },
        notify: { from: 'none', to: 'https://hook.example/…' },
      },
    });
    expect(stopped?.details).toEqual({ isNow: true });
  });

  it('leaves no line if it changes nothing', async () => {
    await ledger.setControl('b', 'running', undefined, ANN);
    await ledger.tune('b', { budget: null }, ANN);
    await ledger.setControl('b', 'stopping', undefined, ANN);
    await ledger.setControl('b', 'running', undefined, ANN);
    await ledger.setControl('b', 'stopping', undefined, ANN);
    expect(await kinds()).toEqual(['stop person ann@home']);
    await ledger.stopNow('b', ANN);
    await ledger.stopNow('b', ANN);
    expect(await kinds()).toEqual(['stop person ann@home', 'stop person ann@home']);
  });

  it('is by voxbatch itself where nobody asked for it', async () => {
    const message = 'The credits are used up.';
    await ledger.setControl('b', 'paused', { class: 'OutOfCredits', message });
    await ledger.setControl('b', 'paused', { class: 'OutOfCredits', message });
    expect(await kinds()).toEqual([`pause voxbatch voxbatch: ${message}`]);
  });

  it('is by voxbatch itself where failures halt the batch', async () => {
    await ledger.tune('b', { halt: { when: 'now', unit: 'rows', fail: 1 } }, ANN);
    await fail(1);
    const [, , halted] = await ledger.actionsOf({ batch: 'b' });
    expect(halted).toMatchObject({
      kind: 'stop',
      actor: { type: 'voxbatch' },
      reason: expect.stringContaining('--halt now,fail=1'),
      details: { isNow: true },
    });
  });

  it('is not on record without being done, nor done without being on record', async () => {
    await ledger.setControl('b', 'stopping', undefined, ANN);
    const choice = { row: 1, take: 1, outcome: 'failed', how: { type: 'wait' } } as const;
    await expect(ledger.redrive('b', [choice], ANN)).rejects.toThrow('is being stopped');
    expect(await kinds()).toEqual(['stop person ann@home']);
  });
});

describe('what is done to rows', () => {
  it('names them, and is found by them', async () => {
    await fail(1);
    await fail(3);
    await redrive([1, 3]);
    expect(await ledger.actionsOf({ batch: 'b', rows: [3] })).toMatchObject([
      {
        kind: 'redrive',
        rows: [
          [1, 1],
          [3, 3],
        ],
        actor: ANN.actor,
      },
    ]);
    expect(await ledger.actionsOf({ batch: 'b', rows: [2] })).toEqual([]);
    expect(await ledger.actionsOf({ batch: 'b', rows: [2, 1] })).toHaveLength(1);
  });

  it('tells a request that may be charged twice from others', async () => {
    await lose(1);
    const pay = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: pay }]);
    expect(await kinds()).toEqual(['resubmit voxbatch voxbatch']);
  });

  it('leaves out a row that has moved on', async () => {
    await fail(1);
    const pay = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    await ledger.redrive('b', [{ row: 1, take: 2, outcome: 'failed', how: pay }], ANN);
    expect(await kinds()).toEqual([]);
  });

  it('is a decision about a request, with its job', async () => {
    await lose(2);
    expect(await ledger.decide(aKey(2), { type: 'adopted', jobId: 'j' }, BERT)).toBe(true);
    expect(await ledger.decide(aKey(2), { type: 'released', jobId: 'j' }, ANN)).toBe(true);
    expect(await ledger.decide(aKey(2), { type: 'released', jobId: 'j' }, ANN)).toBe(false);
    expect(await ledger.actionsOf({ batch: 'b', rows: [2] })).toMatchObject([
      { kind: 'adopt', rows: [[2, 2]], details: { jobId: 'j' }, actor: BERT.actor },
      { kind: 'release', details: { jobId: 'j' }, actor: ANN.actor },
    ]);
    expect((await ledger.decisionsOf('b', 2)).map(({ who }) => who)).toEqual(['bert', 'ann@home']);
  });

  it('begins no line for work', async () => {
    await accept(1);
    await ledger.intend(aKey(2), INTENT);
    expect(await kinds()).toEqual([]);
    await stop();
    expect(await kinds()).toEqual(['stop voxbatch voxbatch']);
  });
});

it('what is done to a schedule is on record under its name, and stays when it is deleted', async () => {
  await ledger.settleSchedule('s', SETTINGS, 1, ANN);
  await ledger.pauseFirings('s', 2, 'why', ANN);
  await ledger.resumeFirings('s', 3, 'why', BERT);
  const id = await ledger.allowFirings('s', { kind: 'trigger', from: 4, until: 5 }, ANN);
  await ledger.allowFirings('s', { kind: 'due', from: 4, until: null, spec: SPEC }, ANN);
  await ledger.allowFirings('s', { kind: 'backfill', from: 4, until: 9, spec: SPEC, askedAt: 9 }, ANN);
  expect(await ledger.withdrawFirings(id, ANN)).toBe(true);
  expect(await ledger.withdrawFirings(id, ANN)).toBe(false);
  await ledger.forgetSchedule('s', ANN);
  await ledger.forgetSchedule('s', ANN);
  const lines = await ledger.actionsOf({ schedule: 's' });
  expect(lines.map(({ kind }) => kind)).toEqual([
    ...['set-schedule', 'pause-schedule', 'resume-schedule', 'trigger', 'backfill', 'withdraw', 'delete-schedule'],
  ]);
  expect(lines[4]?.details).toEqual({ range: { from: 4, until: 9 } });
  expect(lines[2]?.actor).toEqual(BERT.actor);
});

it('a batch has started once all its rows are loaded, and once', async () => {
  const loading = await ledger.createBatch(aBatch('half'));
  expect(await ledger.actionsOf({ batch: 'half' })).toEqual([]);
  await ledger.openBatch(loading, 0, ANN);
  await ledger.openBatch(loading, 0, ANN);
  expect(await ledger.actionsOf({ batch: 'half' })).toMatchObject([{ kind: 'start' }]);
});

it('the list of actions has those of some kinds, and of some time, both ends included', async () => {
  await ledger.setControl('b', 'paused', undefined, ANN);
  await ledger.setControl('b', 'running', undefined, ANN);
  const [start, pause] = await ledger.actionsOf({ batch: 'b' });
  expect(await ledger.actionsOf({ kinds: ['start', 'resume'] })).toMatchObject([{ kind: 'start' }, { kind: 'resume' }]);
  expect(await ledger.actionsOf({ from: start?.at ?? 0, until: pause?.at ?? 0, kinds: ['pause'] })).toHaveLength(1);
  expect(await ledger.actionsOf({ until: (start?.at ?? 0) - 1 })).toEqual([]);
  expect(await ledger.actionsOf({ from: Date.now() + 60_000 })).toEqual([]);
});
