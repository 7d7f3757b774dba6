import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { TEXT_TOO_LONG } from '../../../contract/api-limits.ts';
import { aBatch, aKey, aRow, INTENT, redriveNow } from '../../ledger/setup.ts';
import { expectRun, json, placeForEach, run } from '../command-line.ts';

/** What `explain` tells of a row that is spoken in parts, and of one of them. */

const LOST: Failure = { class: 'OutcomeUnknown', message: 'No answer came.' };
const DOWN: Failure = { class: 'ServiceDown', message: 'Not now.' };
const REFUSED: Failure = { class: 'BadRequest', message: 'No.' };
const LONG: Failure = { class: 'BadRequest', message: 'Too long.', cause: TEXT_TOO_LONG };
const WRONG: Failure = { class: 'Unfit', message: 'Other words were heard.' };
const TEXTS = ['One is here.', 'Two is a little longer.', 'Three ends it.'];

const place = placeForEach();

/** Row 1 is spoken in parts, which are rows 3, 4 and 5. */
beforeEach(async () => {
  const { ledger } = place;
  const part = (text: string) => ({ spec: { kind: 'tts', text, voice: 'v', extra: {} } as const, quoted: 1 });
  const loading = await ledger.createBatch(aBatch());
  await ledger.addRows(loading, [{ ...aRow(1), parts: { first: 3, rows: TEXTS.map(part) } }, aRow(2)]);
  await ledger.openBatch(loading, 2);
});

async function refuse(row: number, failure: Failure): Promise<void> {
  const { ledger } = place;
  await ledger.intend(aKey(row), INTENT);
  await ledger.settle(aKey(row), { verdict: 'rejected', failure }, { outcome: 'failed', failure });
}

type End = 'succeeded' | 'failed' | 'unknown' | 'unfit' | undefined;

async function end(row: number, outcome: Exclude<End, undefined>): Promise<void> {
  if (outcome === 'failed') return refuse(row, DOWN);
  const { ledger } = place;
  await ledger.intend(aKey(row), INTENT);
  if (outcome === 'unknown')
    await ledger.settle(aKey(row), { verdict: outcome, failure: LOST }, { outcome, failure: LOST });
  else {
    const file = { key: `b/${String(row)}.mp3`, bytes: 9, sha256: 'f'.repeat(64), extension: 'mp3' };
    const failure = outcome === 'unfit' ? { failure: WRONG } : {};
    await ledger.settle(aKey(row), { verdict: 'done', file, ...failure }, { outcome, file, ...failure });
  }
}

/** Ends the parts like this, in their order. */
async function endParts(...outcomes: readonly End[]): Promise<void> {
  for (const [at, outcome] of outcomes.entries()) if (outcome !== undefined) await end(3 + at, outcome);
}

/** Ends the batch without its second row, and what to do about it then. */
async function statusOfRest(): Promise<string> {
  await place.ledger.giveUp(aKey(2), { outcome: 'cancelled' });
  await place.ledger.closeBatch('b');
  return (await run('status')).stdout;
}

const next = async (row = 'r1'): Promise<unknown> => (await json('explain', row)).value['next'];
const STAYS = '. What is there stays, and costs nothing again';

describe('explain of a row in parts', () => {
  it('lists its parts with their states', async () => {
    await endParts('succeeded', 'unknown');
    await expectRun('explain r1', 0, {
      out: /Parts: 3, 1 of them with a result\n +part +state +says\n +r1#1 +succeeded +One is here\.\n +r1#2 +unknown +Two is.*\n +r1#3 +waiting +Three ends it\.\n/,
    });
  });

  it('says what to do about every part without a result, by commands to paste', async () => {
    await endParts('failed', 'unknown', 'succeeded');
    expect(await next()).toBe(
      "1 part may have been charged. If your account shows its job: voxbatch reconcile b --adopt 'r1#2=JOB'. " +
        "If it is not there, send again at a new charge: voxbatch reconcile b --resubmit 'r1#2'. " +
        `1 part to send again, at its price: voxbatch redrive b --rows 'r1#1'${STAYS}`,
    );
  });

  it('offers what did not pass a check as it is, free, by the shortest name', async () => {
    await endParts('unfit', 'failed', 'succeeded');
    expect(await next()).toBe(
      '1 part with a result that failed a check, which is kept. To accept it as it is, free: ' +
        "voxbatch redrive b --accept 'r1#1'. To pay for it again: voxbatch redrive b --rows 'r1#1'. " +
        `1 part to send again, at its price: voxbatch redrive b --rows 'r1#2'${STAYS}`,
    );
  });

  it('names the row alone if all that it lacks did not pass a check', async () => {
    await endParts('unfit', 'unfit', 'succeeded');
    const accept = 'free: voxbatch redrive b --accept r1. To pay for them again: voxbatch redrive b --rows r1.';
    expect(await next()).toContain(accept);
  });

  it('names the files of parts that did not pass a check, because they are not in the out folder', async () => {
    await endParts('unfit', 'succeeded', 'succeeded');
    const file = /\n {2}r1#1 {2}\/.*\/store\/b\/3\.mp3 {2}9 bytes?, sha256 f{64}\n/.source;
    await expectRun('explain r1', 0, { out: new RegExp(`Parts that failed a check, in the store${file}`) });
    await expectRun('explain r1#1', 0, { out: new RegExp(`File in the store${file}`) });
    const { value } = await json('explain r1');
    expect(value['parts']).toMatchObject([
      { id: 'r1#1', path: expect.stringMatching(/store\/b\/3\.mp3$/) },
      { id: 'r1#2', path: expect.stringMatching(/store\/b\/4\.mp3$/) },
      { id: 'r1#3' },
    ]);
  });

  it('says that a refused text is changed under another name, because its parts are those of the old one', async () => {
    await refuse(3, REFUSED);
    await endParts(undefined, 'succeeded', 'succeeded');
    const mend =
      'Change its text in the manifest, and run that under another name, where parts that did not change come from the cache, free: ' +
      'voxbatch run b.csv --name NEW-NAME. If the text was not the cause, and that is mended: voxbatch redrive b --rows';
    expect(await next()).toBe(`1 part refused by the API, not charged. ${mend} r1${STAYS}`);
    expect(await next('r1#1')).toBe(`The refused request was not charged. ${mend} 'r1#1'`);
    expect((await run('status')).stdout).not.toContain('failed.csv');
  });

  it('says that a part that is too long needs no edit, as does its row, and as does status', async () => {
    await refuse(3, LONG);
    await endParts(undefined, 'succeeded', 'succeeded');
    await refuse(2, LONG);
    await place.ledger.closeBatch('b');
    const cut = (it: string): string =>
      `No edit is needed. To split ${it}, run the manifest under another name, where finished rows come from the cache, free: ` +
      'voxbatch run b.csv --name NEW-NAME --split sentences';
    expect(await next()).toBe(`1 part longer than the API takes, not charged. ${cut('it')}${STAYS}`);
    for (const row of ['r1#1', 'r2']) expect(await next(row)).toBe(`The refused request was not charged. ${cut('it')}`);
    const out = [`2 rows with a text that is longer than the API takes, not charged.`, cut('them')];
    await expectRun('status', 10, { out, not: /failed\.csv|in the manifest/ });
  });

  it('lists the requests of its parts by their own takes, whatever take it is at itself', async () => {
    await endParts('failed', 'failed', 'succeeded');
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    for (const take of [1, 2]) {
      await redriveNow(place.ledger, 'b', [{ row: 3, take, how }]);
      await place.ledger.giveUp(aKey(3, 1, take + 1), { outcome: 'failed', failure: DOWN });
    }
    const out = /Take 2, .*\n.*\nTake 3, .*\n.*\nPaid requests\n {2}part 1, speech, take 1, attempt 1: /;
    await expectRun('explain r1', 0, { out, not: 'no request so far' });
    await expectRun('explain r1#1', 0, { out: /Take 3, .*\n.*\n {2}no request was made\n/ });
  });

  it('tells of earlier takes of its parts that may have been charged', async () => {
    await endParts('unknown', 'succeeded', 'succeeded');
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await redriveNow(place.ledger, 'b', [{ row: 3, take: 1, how }]);
    expect(await next()).toContain("voxbatch reconcile b --not-charged 'r1#1/1'");
  });

  it('sends all that failed by the name of the row', async () => {
    await endParts('failed', 'failed', 'failed');
    expect(await next()).toBe('3 parts to send again, at their price: voxbatch redrive b --rows r1');
  });
});

describe('what to do about a batch', () => {
  it('names the parts that the outcome of their row does not mean', async () => {
    await endParts('failed', 'unfit');
    await place.ledger.giveUp(aKey(5), { outcome: 'cancelled' });
    const said = await statusOfRest();
    expect(said).toContain('To send it again, at its price: voxbatch redrive b --where outcome=failed\n');
    expect(said).toContain(
      "2 parts of these rows in parts have no result either. To send them again, at their price: voxbatch redrive b --rows 'r1#2,r1#3'",
    );
  });

  it('offers late parts of a row in doubt, free', async () => {
    await endParts('unknown', undefined, 'succeeded');
    const { ledger } = place;
    await ledger.intend(aKey(4), INTENT);
    await ledger.settle(aKey(4), { verdict: 'accepted', jobId: 'job' }, { state: 'processing' });
    await ledger.changeRunning(aKey(4), { outcome: 'overdue', failure: { class: 'Overdue', message: 'Late.' } });
    expect(await statusOfRest()).toContain(
      '1 part with a job that was still running. To fetch it, free: voxbatch redrive b --where outcome=overdue\n',
    );
  });

  it('names none that the outcome of their row means', async () => {
    await endParts('unfit', 'unfit', 'succeeded');
    const said = await statusOfRest();
    expect(said).toContain('1 row with parts that failed a check');
    expect(said).not.toContain('no result either');
  });
});

it('explain of a part tells what it says and which row it is of', async () => {
  await end(4, 'unknown');
  const input = /Input\n +column +cell\n +text +Two is a little longer\.\n/;
  await expectRun('explain r1#2', 0, { out: [/^Part 2 of row 1 of batch "b": unknown\n +id r1#2,/, input] });
  const { value } = await json('explain r1#2');
  expect(value).toMatchObject({ row: 1, part: 2, id: 'r1#2', input: { text: TEXTS[1] } });
});
