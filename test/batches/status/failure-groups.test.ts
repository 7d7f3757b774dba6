import { describe, expect, it } from '@jest/globals';
import { groupFailures } from '../../../batches/status/failure-groups.ts';
import { fail, lose } from '../../ledger/actions.ts';
import { ledger, ledgerForEachTest, load, partsOf, aRow } from '../../ledger/setup.ts';
import { batchOf } from '../../ledger/readings.ts';

ledgerForEachTest();

type Told = readonly (readonly [rows: number, firstRow: number, firstId: string, message: string])[];

async function groups(): Promise<Told> {
  const { failures, moreFailures } = await groupFailures(ledger, {
    batch: await batchOf(),
    counts: await ledger.counts('b'),
  });
  expect(moreFailures).toEqual({ kinds: 0, rows: 0 });
  return failures.map(({ rows, firstRow, firstId, message }) => [rows, firstRow, firstId, message]);
}

/** The groups of a batch whose rows failed with these messages, from row 1 on. */
async function groupsOf(messages: readonly string[]): Promise<Told> {
  await load(messages.length);
  for (const [at, message] of messages.entries()) await fail(at + 1, { class: 'JobFailed', message });
  return groups();
}

describe('groupFailures', () => {
  it('puts what differs only in its job, time or price together, in the words of the first row', async () => {
    expect(
      await groupsOf([
        'The API says that job 3f1-a failed: hoarse',
        'The API says that job 99 failed: hoarse',
        'Job 7 is still "running" after 0.5 min; it may have been charged.',
        'Job 7 is still "running" after 12 min; it may have been charged.',
      ]),
    ).toEqual([
      [2, 1, 'r1', 'The API says that job 3f1-a failed: hoarse'],
      [2, 3, 'r3', 'Job 7 is still "running" after 0.5 min; it may have been charged.'],
    ]);
  });

  it('puts one cause together whatever ids, numbers, addresses and texts its message repeats', async () => {
    const told = await groupsOf([
      'Request req_71a4: "Hello there" has 2,400 characters; see https://api.example/e/hoarse',
      'Request req_9: "Good morning" has 31 characters; see https://api.example/e/loud',
    ]);
    expect(told.map(([rows]) => rows)).toEqual([2]);
  });

  it('takes messages with half a surrogate pair or a NUL, which no database has in a text', async () => {
    // JSON has both as escapes. The words of a service look like them, too.
    const messages = ['A cut \ud83d', 'A cut \ud83d', '\ude00 begins', 'a\0b', String.raw`C:\\u0000 \ud`];
    const found = await groupsOf(messages);
    expect(found.map(([rows, firstRow]) => [rows, firstRow])).toEqual([
      [2, 1],
      [1, 3],
      [1, 4],
      [1, 5],
    ]);
    for (const { pattern, rows } of (await ledger.failureMessages('b', {})).groups)
      expect((await ledger.rowPage('b', { message: pattern })).rows).toHaveLength(rows);
  });

  it('keeps apart what fails for another reason, the status of an answer included', async () => {
    expect(await groupsOf(['answered with 422', 'answered with 404', 'answered with 404'])).toEqual([
      [2, 2, 'r2', 'answered with 404'],
      [1, 1, 'r1', 'answered with 422'],
    ]);
  });

  it('counts rows of all outcomes that have a reason, and no parts', async () => {
    await load([aRow(1), aRow(2), { ...aRow(3), parts: partsOf(4, 'one', 'two') }]);
    await lose(2, { class: 'OutcomeUnknown', message: 'Cut.' });
    await fail(4, { class: 'JobFailed', message: 'Hoarse.' });
    expect(await groups()).toEqual([[1, 2, 'r2', 'Cut.']]);
  });
});

it('the messages of a reason are a filter of rows, each by what all its rows say', async () => {
  await load(4);
  for (const [row, message] of [
    [1, 'Row 1 has 10% too many_words.'],
    [2, 'Row 2 has 10% too many_words.'],
    [3, 'Row 3 has 100 too manyXwords.'],
  ] as const)
    await fail(row, { class: 'JobFailed', message });
  const { groups: found, others } = await ledger.failureMessages('b', { class: 'JobFailed' });
  expect([found.map(({ rows, firstRow }) => [rows, firstRow]), others]).toEqual([
    [
      [2, 1],
      [1, 3],
    ],
    0,
  ]);
  for (const { pattern, rows } of found)
    expect((await ledger.rowPage('b', { class: 'JobFailed', message: pattern })).rows).toHaveLength(rows);
});
