import { describe, expect, it } from '@jest/globals';
import { viewPilot, type Pilot } from '../../../batches/subset/pilot.ts';
import { viewSample } from '../../../client/results/files-view.ts';
import { pilotLines } from '../../../starters/terminal/summary-words.ts';
import { accept, complete, FILE, finish, JOB_FAILED } from '../../ledger/actions.ts';
import { batchOf } from '../../ledger/readings.ts';
import { aRow, ledger, ledgerForEachTest, load, upTo } from '../../ledger/setup.ts';

ledgerForEachTest();

/** A batch of nine rows of 3 credits (`Row 1` has five characters) of which only the first ones were asked for. */
async function sample(chosen: number, budget: number | null = null): Promise<void> {
  const rows = upTo(9).map((row) => ({ ...aRow(row), quoted: 3, isNotChosen: row > chosen }));
  await load(rows, { settings: { budget }, subset: { type: 'sample', rows: chosen, seed: 1 } });
}

/** Ends a row with a result, at the price that the API told; undefined: it told none. */
async function end(row: number, credits?: number): Promise<void> {
  await complete(row, { file: FILE, ...(credits !== undefined && { credits }) }, { quoted: 3 });
}

const pilotOf = async (): Promise<Pilot | undefined> => viewPilot(ledger, await batchOf());

const wordsOf = async (): Promise<string> => pilotLines((await pilotOf()) as Pilot).join('\n');

describe('what a sample shows', () => {
  it('is its rows, and what the whole batch costs at the prices that it was charged', async () => {
    await sample(2);
    await end(1, 4.5);
    await end(2, 4.5);
    const pilot = await pilotOf();
    expect(pilot).toMatchObject({
      rows: [
        { row: 1, id: 'r1', kind: 'tts', voice: 'v', outcome: 'succeeded', credits: 4.5, file: 'media/r1.mp3' },
        { row: 2, id: 'r2' },
      ],
      run: 2,
      left: 7,
      charged: 9,
      prices: {
        differs: true,
        operations: [{ operation: 'speech-job', requests: 2, quoted: 6, charged: 9, factor: 1.5 }],
        rest: { quoted: 21, expected: 31.5 },
      },
      whole: { quoted: 27, expected: 40.5 },
      budgetLeft: null,
    });
    expect(pilotLines(pilot as Pilot)).toEqual([
      'Tried so far: 2 rows of 9',
      '  row  id  kind  voice  outcome    credits  file',
      '    1  r1  tts   v      succeeded      4.5  media/r1.mp3',
      '    2  r2  tts   v      succeeded      4.5  media/r2.mp3',
      'Prices in credits',
      '  operation   priced  quoted  charged  factor  to send  as quoted  expected',
      '  speech-job       2       6        9    1.50        7         21      31.5',
      'At these prices the whole batch costs about 40.5 credits; 27 were quoted.',
    ]);
    expect(viewSample(pilot as Pilot)).toMatchObject({
      operations: [{ operation: 'speech-job', factor: 1.5, rest: { requests: 7, quoted: 21, expected: 31.5 } }],
      whole: { charged: 9, quoted: 27, expected: 40.5 },
    });
  });

  it('is that a budget which would reach by the quotes does not', async () => {
    await sample(2, 30);
    await end(1, 4.5);
    await end(2, 4.5);
    expect(await wordsOf()).toContain(
      'WARNING: the budget will not reach: 21 credits left of it, about 31.5 needed for the other 7 rows.',
    );
  });

  it('is that the quotes were right, or that the API did not tell', async () => {
    await sample(1, 30);
    await end(1, 3);
    expect(await wordsOf()).toContain('The API charged it as quoted: the whole batch costs about 27 credits.');
    expect(await wordsOf()).not.toContain('WARNING');
  });

  it('is no price where the API told none, or where the job failed', async () => {
    await sample(2);
    await end(1);
    await accept(2, { credits: 1 }, { quoted: 3 });
    await finish(2, { failure: JOB_FAILED });
    expect(await wordsOf()).toContain(
      'The API did not say what it charged. By the quotes, the whole batch costs about 25 credits.',
    );
  });

  it('is nothing where no row was left out, or none was run', async () => {
    await sample(9);
    expect(await pilotOf()).toBeUndefined();
  });
});
