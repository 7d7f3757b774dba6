import { describe, expect, it } from '@jest/globals';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import type { BatchFiles } from './batch-files.ts';
import { checkCharges } from './check-charges.ts';
import { chargeOf, filesOf, resultOf } from './sample-charges.ts';

const ROWS = [resultOf(1), resultOf(2)];
const CHARGES = [chargeOf(1), chargeOf(2)];

/** What is broken, one line per promise. */
const broken = (charges: readonly LedgerEntry[], files: BatchFiles): string[] =>
  checkCharges(charges, [files]).flatMap((finding) => finding.broken);

describe('the judge of charges', () => {
  it('finds nothing where every row was charged once', () => expect(broken(CHARGES, filesOf(ROWS))).toEqual([]));

  it('finds a key that was charged twice', () => {
    expect(broken([...CHARGES, chargeOf(1, { text: 'Another' })], filesOf(ROWS))).toContain(
      'lines/1/speech/1: 2 times',
    );
  });

  it('finds a text that was charged twice under another key', () => {
    const idempotencyKey = chargeOf(9).idempotencyKey;
    expect(broken([...CHARGES, chargeOf(1, { idempotencyKey })], filesOf(ROWS))).toContain(
      'speech-job Line 1: 2 times',
    );
  });

  it('finds a charge that its row does not have, or that another row has', () => {
    const without = filesOf([resultOf(1, { _outcome: 'failed', _job_ids: [] }), resultOf(2)]);
    expect(broken(CHARGES, without)).toContain(
      'lines/1/speech/1 was charged (job job-1), but is failed without it; row (none) has that job',
    );
    const swapped = filesOf([resultOf(1, { _job_ids: ['job-2'] }), resultOf(2, { _job_ids: ['job-1'] })]);
    expect(broken(CHARGES, swapped)).toHaveLength(2);
  });

  it('finds a charge of a row that is not there, or without a key of ours', () => {
    expect(broken(CHARGES, filesOf([resultOf(1)]))).toContain('lines/2/speech/1 was charged, but there is no such row');
    expect(broken([chargeOf(1, { idempotencyKey: 'stray' })], filesOf([]))).toContain(
      'a charge with the key stray, which no row has',
    );
  });

  it('finds a synchronous charge of a row that failed', () => {
    const failed = filesOf([resultOf(1, { _outcome: 'failed', _job_ids: [] })]);
    expect(broken([chargeOf(1, { jobId: null })], failed)).toEqual([
      'lines/1/speech/1 was charged (job none), but is failed without it',
    ]);
  });

  it('finds the voice that a charge made in its row, and a result that failed a check', () => {
    const voice = resultOf(1, { _kind: 'voice', _job_ids: [], _text: 'job-1' });
    const unfit = resultOf(2, { _outcome: 'unfit', _job_ids: [] });
    expect(broken([chargeOf(1), chargeOf(2, { jobId: null })], filesOf([voice, unfit]))).toEqual([]);
    expect(broken([chargeOf(1)], filesOf([{ ...voice, _text: 'job-9' }]))).toHaveLength(1);
  });

  it('finds a bill that is off, and leaves rows in doubt out of it', () => {
    expect(broken(CHARGES, filesOf([resultOf(1), resultOf(2, { _credits: 3 })]))).toEqual([
      'billed 5.000, charged 4.000',
    ]);
    const doubtful = resultOf(2, { _outcome: 'unknown', _credits: 0, _job_ids: [] });
    expect(broken(CHARGES, filesOf([resultOf(1), doubtful]))).toEqual([]);
    // Its answer was lost, its result was found, and nothing else named its price.
    const unpriced = resultOf(2, { _credits: 0, _credits_kind: 'uncertain' });
    expect(broken(CHARGES, filesOf([resultOf(1), unpriced]))).toEqual([]);
  });
});
