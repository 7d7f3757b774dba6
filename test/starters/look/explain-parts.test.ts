import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { aBatch, aKey, aRow, INTENT, redriveNow } from '../../ledger/setup.ts';
import { placeForEach } from '../place-for-each.ts';

/** What `explain` tells of a row that is spoken in parts, and of one of them. */

const LOST: Failure = { class: 'OutcomeUnknown', message: 'No answer came.' };
const REFUSED: Failure = { class: 'BadRequest', message: 'No.' };
const WRONG: Failure = { class: 'Unfit', message: 'Other words were heard.' };
const TEXTS = ['One is here.', 'Two is a little longer.', 'Three ends it.'];

const invocation = placeForEach();

/** Row 1 is spoken in parts, which are rows 3, 4 and 5. */
beforeEach(async () => {
  const { ledger } = invocation.place;
  const part = (text: string) => ({ spec: { kind: 'tts', text, voice: 'v', extra: {} } as const, quoted: 1 });
  await ledger.createBatch(aBatch());
  await ledger.addRows('b', [{ ...aRow(1), parts: { first: 3, rows: TEXTS.map(part) } }, aRow(2)]);
  await ledger.openBatch('b', 2);
});

async function end(row: number, outcome: 'succeeded' | 'failed' | 'unknown' | 'unfit'): Promise<void> {
  const { ledger } = invocation.place;
  await ledger.intend(aKey(row), INTENT);
  if (outcome === 'unknown')
    await ledger.settle(aKey(row), { verdict: outcome, failure: LOST }, { outcome, failure: LOST });
  else if (outcome === 'failed')
    await ledger.settle(aKey(row), { verdict: 'rejected', failure: REFUSED }, { outcome, failure: REFUSED });
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
    const { stdout } = await invocation.line.run('explain', 'r1');
    expect(stdout).toMatch(
      /Parts: 3, 1 of them with a result\n +part +state +says\n +r1#1 +succeeded +One is here\.\n +r1#2 +unknown +Two is.*\n +r1#3 +waiting +Three ends it\.\n/,
    );
  });

  it('says what to do about every part without a result, by commands to paste', async () => {
    await end(3, 'failed');
    await end(4, 'unknown');
    await end(5, 'succeeded');
    const { value } = await invocation.line.json('explain', 'r1', '--json');
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
    const { value } = await invocation.line.json('explain', 'r1', '--json');
    expect(value['next']).toBe(
      '1 part with a result that failed a check, which is kept. To accept it as it is, free: ' +
        "voxbatch redrive b --accept 'r1#1'. To pay for it again: voxbatch redrive b --rows 'r1#1'. " +
        "1 part to send again, at its price: voxbatch redrive b --rows 'r1#2'. What is there stays, and costs nothing again",
    );
  });

  it('names the row alone if all that it lacks did not pass a check', async () => {
    for (const row of [3, 4]) await end(row, 'unfit');
    await end(5, 'succeeded');
    const { value } = await invocation.line.json('explain', 'r1', '--json');
    expect(value['next']).toMatch(
      /free: voxbatch redrive b --accept r1\. To pay for them again: voxbatch redrive b --rows r1\./,
    );
  });

  it('tells of earlier takes of its parts that may have been charged', async () => {
    await end(3, 'unknown');
    for (const row of [4, 5]) await end(row, 'succeeded');
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await redriveNow(invocation.place.ledger, 'b', [{ row: 3, take: 1, how }]);
    const { value } = await invocation.line.json('explain', 'r1', '--json');
    expect(value['next']).toContain("voxbatch reconcile b --not-charged 'r1#1/1'");
  });

  it('sends all that failed by the name of the row', async () => {
    for (const row of [3, 4, 5]) await end(row, 'failed');
    const { value } = await invocation.line.json('explain', 'r1', '--json');
    expect(value['next']).toBe('3 parts to send again, at their price: voxbatch redrive b --rows r1');
  });
});

describe('explain of a part', () => {
  it('tells what it says and which row it is of', async () => {
    await end(4, 'unknown');
    const { stdout } = await invocation.line.run('explain', 'r1#2');
    expect(stdout).toMatch(/^Part 2 of row 1 of batch "b": unknown\n +id r1#2,/);
    expect(stdout).toMatch(/Input\n +column +cell\n +text +Two is a little longer\.\n/);
    const { value } = await invocation.line.json('explain', 'r1#2', '--json');
    expect(value).toMatchObject({ row: 1, part: 2, id: 'r1#2', input: { text: TEXTS[1] } });
  });
});
