import { beforeEach, describe, expect, it } from '@jest/globals';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';

const place = placeForEach();
beforeEach(() => addSampleBatch(place));

const standing = async (): Promise<unknown> => {
  const { ledger } = place;
  return [await ledger.findBatch('demo'), await ledger.counts('demo'), await ledger.money('demo')];
};

describe('redrive --dry-run', () => {
  it('shows rows and price without an API, and changes nothing', async () => {
    const before = await standing();
    const out = /^Redrive of batch "demo", at a cost of .*\n {2}1 row to send, from speech on/;
    const err = 'To do it, run the same command without --dry-run.';
    await expectRun('redrive demo --where outcome=failed --dry-run', 0, { out, err });
    expect(await standing()).toEqual(before);
  });

  it('says what it would ask before a result is replaced', async () => {
    const out = /redrive asks for confirmation: Replace the results of 1 row .* \(--yes confirms\)/;
    await expectRun('redrive demo --rows a --dry-run', 0, { out });
    const value = { batch: 'demo', rows: 1, paying: 1, replaced: 1, waits: 0, refusal: null };
    expect(await json('redrive demo --rows a --dry-run')).toMatchObject({ value });
  });

  it('says that a budget which is used up would refuse it', async () => {
    await place.ledger.tune('demo', { budget: 1 });
    await expectRun('redrive demo --rows a --dry-run', 0, { out: 'redrive refuses this (exit code 3):' });
  });

  it.each([
    ['class=JobFailed', 0, { out: 'No row of batch "demo" matches.' }],
    // As the redrive would, for rows that need another word.
    ['outcome=unknown', 2, { err: 'cannot be redriven this way' }],
  ])('of %s ends with %d', (where, code, said) => expectRun(`redrive demo --where ${where} --dry-run`, code, said));
});
