import { describe, expect, it } from '@jest/globals';
import { viewPilot, type Pilot } from '../../../batches/subset/pilot.ts';
import { viewSample } from '../../../client/results/files-view.ts';
import { pilotLines } from '../../../starters/terminal/summary-words.ts';
import { aBatch, aKey, aRow, INTENT, batchOf, ledger, ledgerForEachTest } from '../../ledger/setup.ts';

const ROWS = 10;
const FILE = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'ab', extension: 'mp3' };

ledgerForEachTest();

/** A batch of rows of 3 credits (`Row 1` has five characters) of which only the first ones were asked for. */
async function load(chosen: number, budget: number | null = null): Promise<void> {
  const { settings, ...batch } = aBatch();
  const loading = await ledger.createBatch({
    ...batch,
    settings: { ...settings, budget },
    subset: { type: 'sample', rows: chosen, seed: 1 },
  });
  await ledger.addRows(
    loading,
    Array.from({ length: ROWS - 1 }, (_, at) => ({ ...aRow(at + 1), quoted: 3, isNotChosen: at >= chosen })),
  );
  await ledger.openBatch(loading, ROWS - 1);
}

/** Ends a row with a result, at the price that the API told; undefined: it told none. */
async function end(row: number, credits?: number): Promise<void> {
  await ledger.intend(aKey(row), { ...INTENT, quoted: 3 });
  const price = credits === undefined ? {} : { credits };
  await ledger.settle(aKey(row), { verdict: 'done', file: FILE, ...price }, { outcome: 'succeeded', file: FILE });
}

async function pilotOf(): Promise<Pilot | undefined> {
  const batch = await batchOf();
  return viewPilot(ledger, batch);
}

const wordsOf = async (): Promise<string> => pilotLines((await pilotOf()) as Pilot).join('\n');

describe('what a sample shows', () => {
  it('is its rows, and what the whole batch costs at the prices that it was charged', async () => {
    await load(2);
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
    await load(2, 30);
    await end(1, 4.5);
    await end(2, 4.5);
    expect(await wordsOf()).toContain(
      'WARNING: the budget will not reach: 21 credits left of it, about 31.5 needed for the other 7 rows.',
    );
  });

  it('is that the quotes were right, or that the API did not tell', async () => {
    await load(1, 30);
    await end(1, 3);
    expect(await wordsOf()).toContain('The API charged it as quoted: the whole batch costs about 27 credits.');
    expect(await wordsOf()).not.toContain('WARNING');
  });

  it('is no price where the API told none, or where the job failed', async () => {
    await load(2);
    await end(1);
    await ledger.intend(aKey(2), { ...INTENT, quoted: 3 });
    const failure = { class: 'JobFailed', message: 'no' } as const;
    await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'j2', credits: 1 }, { state: 'processing' });
    await ledger.finishJob(aKey(2), { failure }, { outcome: 'failed', failure });
    expect(await wordsOf()).toContain(
      'The API did not say what it charged. By the quotes, the whole batch costs about 25 credits.',
    );
  });

  it('is nothing where no row was left out, or none was run', async () => {
    await load(9);
    expect(await pilotOf()).toBeUndefined();
  });
});
