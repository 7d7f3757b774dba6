import { describe, expect, it } from '@jest/globals';
import { costText, endText } from '../../../starters/single/single-words.ts';
import { placeAtSimulator } from '../place-for-each.ts';
import { addJob } from './add-job.ts';

const invocation = placeAtSimulator();

describe('endText', () => {
  it('says once that a job that was refused cost nothing', async () => {
    const { simulator, place } = invocation;
    const cells = { text: 'Good morning.', voice: 'nobody' };
    const name = await addJob(simulator, place, { command: 'say', kind: 'tts', cells }, { as: 'refused' });
    const [batch, standing] = await Promise.all([place.ledger.findBatch(name), place.ledger.readRow(name, 1)]);
    if (batch === undefined || standing === undefined) throw new Error('The job is not on record.');
    expect(endText({ ...standing, batch }, 0)[0]).toBe('It failed: No such voice. (nothing was charged).');
  });
});

describe('costText', () => {
  it.each([
    [true, 'About 7 credits charged.'],
    [false, '7 credits charged.'],
  ])('marks a price that the API did not tell: %p', async (isQuoted, words) => {
    const { simulator, place } = invocation;
    const file = await place.store.put('job/1.mp3', 'ID3 the paid bytes');
    const cells = { text: 'Good morning.', voice: 'anna' };
    const name = await addJob(simulator, place, { command: 'say', kind: 'tts', cells }, { file, isQuoted });
    const [batch, standing] = await Promise.all([place.ledger.findBatch(name), place.ledger.readRow(name, 1)]);
    if (batch === undefined || standing === undefined) throw new Error('The job is not on record.');
    expect(costText({ ...standing, batch }, 0)).toBe(words);
  });
});
