import { describe, expect, it } from '@jest/globals';
import { endText } from '../../../starters/single/single-words.ts';
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
