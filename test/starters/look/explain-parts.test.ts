import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { TEXT_TOO_LONG } from '../../../contract/text-limits.ts';
import { aBatch, aKey, aRow, INTENT, redriveNow } from '../../ledger/setup.ts';
import { placeForEach } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

/** What `explain` tells of a row that is spoken in parts, and of one of them. */

const LOST: Failure = { class: 'OutcomeUnknown', message: 'No answer came.' };
const DOWN: Failure = { class: 'ServiceDown', message: 'Not now.' };
const REFUSED: Failure = { class: 'BadRequest', message: 'No.' };
const LONG: Failure = { class: 'BadRequest', message: 'Too long.', cause: TEXT_TOO_LONG };
const WRONG: Failure = { class: 'Unfit', message: 'Other words were heard.' };
const TEXTS = ['One is here.', 'Two is a little longer.', 'Three ends it.'];

const { place } = placeForEach();

/** Row 1 is spoken in parts, which are rows 3, 4 and 5. */
beforeEach(async () => {
  const { ledger } = place;
  const part = (text: string) => ({ spec: { kind: 'tts', text, voice: 'v', extra: {} } as const, quoted: 1 });
  await ledger.createBatch(aBatch());
  await ledger.addRows('b', [{ ...aRow(1), parts: { first: 3, rows: TEXTS.map(part) } }, aRow(2)]);
  await ledger.openBatch('b', 2);
});

async function refuse(row: number, failure: Failure): Promise<void> {
  const { ledger } = place;
  await ledger.intend(aKey(row), INTENT);
  await ledger.settle(aKey(row), { verdict: 'rejected', failure }, { outcome: 'failed', failure });
}

async function end(row: number, outcome: 'succeeded' | 'failed' | 'unknown' | 'unfit'): Promise<void> {
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

describe('explain of a row in parts', () => {
  it('lists its parts with their states', async () => {
    await end(3, 'succeeded');
    await end(4, 'unknown');
    const { stdout } = await run('explain', 'r1');
    expect(stdout).toMatch(
      /Parts: 3, 1 of them with a result\n +part +state +says\n +r1#1 +succeeded +One is here\.\n +r1#2 +unknown +Two is.*\n +r1#3 +waiting +Three ends it\.\n/,
    );
  });

  it('says what to do about every part without a result, by commands to paste', async () => {
    await end(3, 'failed');
    await end(4, 'unknown');
    await end(5, 'succeeded');
    const { value } = await json('explain', 'r1', '--json');
    expect(value['next']).toBe(
      "1 part may have been charged. If your account shows its job: voxbatch reconcile b --adopt 'r1#2=JOB'. " +
        "If it is not there, send again at a new charge: voxbatch reconcile b --resubmit 'r1#2'. " +
        "1 part to send again, at its price: voxbatch redrive b --rows 'r1#1'. What is there stays, and costs nothing again",
    );
  });

  it('offers what did not pass a check as it is, free, by the shortest name', async () => {
    await end(3, 'unfit');
    await end(4, 'failed');
    await end(5, 'succeeded');
    const { value } = await json('explain', 'r1', '--json');
    expect(value['next']).toBe(
      '1 part with a result that failed a check, which is kept. To accept it as it is, free: ' +
        "voxbatch redrive b --accept 'r1#1'. To pay for it again: voxbatch redrive b --rows 'r1#1'. " +
        "1 part to send again, at its price: voxbatch redrive b --rows 'r1#2'. What is there stays, and costs nothing again",
    );
  });

  it('names the row alone if all that it lacks did not pass a check', async () => {
    for (const row of [3, 4]) await end(row, 'unfit');
    await end(5, 'succeeded');
    const { value } = await json('explain', 'r1', '--json');
    expect(value['next']).toMatch(
      /free: voxbatch redrive b --accept r1\. To pay for them again: voxbatch redrive b --rows r1\./,
    );
  });

  it('names the files of parts that did not pass a check, because they are not in the out folder', async () => {
    await end(3, 'unfit');
    for (const row of [4, 5]) await end(row, 'succeeded');
    const { stdout } = await run('explain', 'r1');
    expect(stdout).toMatch(
      /Parts that failed a check, in the store\n {2}r1#1 {2}\/.*\/store\/b\/3\.mp3 {2}9 bytes?, sha256 f{64}\n/,
    );
    expect((await run('explain', 'r1#1')).stdout).toMatch(/File in the store\n {2}r1#1 {2}\/.*\/store\/b\/3\.mp3 {2}/);
    const { value } = await json('explain', 'r1', '--json');
    expect(value['parts']).toMatchObject([
      { id: 'r1#1', path: expect.stringMatching(/store\/b\/3\.mp3$/) },
      { id: 'r1#2', path: expect.stringMatching(/store\/b\/4\.mp3$/) },
      { id: 'r1#3' },
    ]);
  });

  it('says that a refused text is changed under another name, because its parts are those of the old one', async () => {
    await refuse(3, REFUSED);
    for (const row of [4, 5]) await end(row, 'succeeded');
    const mend =
      'Change its text in the manifest, and run that under another name, where parts that did not change come from the cache, free: ' +
      'voxbatch run b.csv --name NEW-NAME. If the text was not the cause, and that is mended: voxbatch redrive b --rows';
    const { value } = await json('explain', 'r1', '--json');
    expect(value['next']).toBe(
      `1 part refused by the API, not charged. ${mend} r1. What is there stays, and costs nothing again`,
    );
    const { value: ofPart } = await json('explain', 'r1#1', '--json');
    expect(ofPart['next']).toBe(`The refused request was not charged. ${mend} 'r1#1'`);
    const { stdout } = await run('status');
    expect(stdout).not.toContain('failed.csv');
  });

  it('says that a part that is too long needs no edit, as does its row, and as does status', async () => {
    await refuse(3, LONG);
    for (const row of [4, 5]) await end(row, 'succeeded');
    await refuse(2, LONG);
    await place.ledger.closeBatch('b');
    const cut = (it: string): string =>
      `No edit is needed. To have ${it} cut, run the manifest under another name, where what is finished comes from the cache, free: ` +
      'voxbatch run b.csv --name NEW-NAME --split sentences';
    const next = async (row: string): Promise<unknown> => (await json('explain', row, '--json')).value['next'];
    expect(await next('r1')).toBe(
      `1 part longer than the API takes, not charged. ${cut('it')}. What is there stays, and costs nothing again`,
    );
    expect(await next('r1#1')).toBe(`The refused request was not charged. ${cut('it')}`);
    expect(await next('r2')).toBe(`The refused request was not charged. ${cut('it')}`);
    const { stdout } = await run('status');
    expect(stdout).toContain(`2 rows with a text that is longer than the API takes, not charged.`);
    expect(stdout).toContain(cut('them'));
    expect(stdout).not.toMatch(/failed\.csv|in the manifest/);
  });

  it('lists the requests of its parts by their own takes, whatever take it is at itself', async () => {
    for (const row of [3, 4]) await end(row, 'failed');
    await end(5, 'succeeded');
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    const { ledger } = place;
    await redriveNow(ledger, 'b', [{ row: 3, take: 1, how }]);
    await ledger.giveUp(aKey(3, 1, 2), { outcome: 'failed', failure: DOWN });
    await redriveNow(ledger, 'b', [{ row: 3, take: 2, how }]);
    await ledger.giveUp(aKey(3, 1, 3), { outcome: 'failed', failure: DOWN });
    const { stdout } = await run('explain', 'r1');
    expect(stdout).toMatch(/Take 2, .*\n.*\nTake 3, .*\n.*\nPaid requests\n {2}part 1, speech, take 1, attempt 1: /);
    expect(stdout).not.toContain('no request so far');
    expect((await run('explain', 'r1#1')).stdout).toMatch(/Take 3, .*\n.*\n {2}no request was made\n/);
  });

  it('tells of earlier takes of its parts that may have been charged', async () => {
    await end(3, 'unknown');
    for (const row of [4, 5]) await end(row, 'succeeded');
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await redriveNow(place.ledger, 'b', [{ row: 3, take: 1, how }]);
    const { value } = await json('explain', 'r1', '--json');
    expect(value['next']).toContain("voxbatch reconcile b --not-charged 'r1#1/1'");
  });

  it('sends all that failed by the name of the row', async () => {
    for (const row of [3, 4, 5]) await end(row, 'failed');
    const { value } = await json('explain', 'r1', '--json');
    expect(value['next']).toBe('3 parts to send again, at their price: voxbatch redrive b --rows r1');
  });
});

describe('what to do about a batch', () => {
  it('names the parts that the outcome of their row does not mean', async () => {
    await end(3, 'failed');
    await end(4, 'unfit');
    await place.ledger.giveUp(aKey(5), { outcome: 'cancelled' });
    await place.ledger.giveUp(aKey(2), { outcome: 'cancelled' });
    await place.ledger.closeBatch('b');
    const { stdout } = await run('status');
    expect(stdout).toContain('To send it again, at its price: voxbatch redrive b --where outcome=failed\n');
    expect(stdout).toContain(
      "2 parts of these rows in parts have no result either. To send them again, at their price: voxbatch redrive b --rows 'r1#2,r1#3'",
    );
  });

  it('offers late parts of a row in doubt, free', async () => {
    const { ledger } = place;
    await end(3, 'unknown');
    await ledger.intend(aKey(4), INTENT);
    await ledger.settle(aKey(4), { verdict: 'accepted', jobId: 'job' }, { state: 'processing' });
    await ledger.changeRunning(aKey(4), { outcome: 'overdue', failure: { class: 'Overdue', message: 'Late.' } });
    await end(5, 'succeeded');
    await ledger.giveUp(aKey(2), { outcome: 'cancelled' });
    await ledger.closeBatch('b');
    const { stdout } = await run('status');
    expect(stdout).toContain(
      '1 part with a job that was still running. To fetch it, free: voxbatch redrive b --where outcome=overdue\n',
    );
  });

  it('names none that the outcome of their row means', async () => {
    for (const row of [3, 4]) await end(row, 'unfit');
    await end(5, 'succeeded');
    await place.ledger.giveUp(aKey(2), { outcome: 'cancelled' });
    await place.ledger.closeBatch('b');
    const { stdout } = await run('status');
    expect(stdout).toContain('1 row with parts that failed a check');
    expect(stdout).not.toContain('no result either');
  });
});

describe('explain of a part', () => {
  it('tells what it says and which row it is of', async () => {
    await end(4, 'unknown');
    const { stdout } = await run('explain', 'r1#2');
    expect(stdout).toMatch(/^Part 2 of row 1 of batch "b": unknown\n +id r1#2,/);
    expect(stdout).toMatch(/Input\n +column +cell\n +text +Two is a little longer\.\n/);
    const { value } = await json('explain', 'r1#2', '--json');
    expect(value).toMatchObject({ row: 1, part: 2, id: 'r1#2', input: { text: TEXTS[1] } });
  });
});
