import { describe, expect, it } from '@jest/globals';
import type { SingleJob } from '../../../batches/single/single-job.ts';
import { readSingle, type SingleRecord } from '../../../client/single/find-single.ts';
import { singleView } from '../../../client/single/single-view.ts';
import { costText, endText } from '../../../starters/single/single-words.ts';
import { placeAtSimulator } from '../place-for-each.ts';
import { addJob, type JobEnd } from './add-job.ts';

const invocation = placeAtSimulator();
const { place } = invocation;

async function recordOf(job: SingleJob, end: JobEnd): Promise<SingleRecord> {
  const { simulator, place } = invocation;
  const name = await addJob(simulator, place, job, end);
  const batch = await place.ledger.findBatch(name);
  if (batch === undefined) throw new Error('The job is not on record.');
  return readSingle(place.ledger, batch);
}

describe('endText', () => {
  it('says once that a job that was refused cost nothing', async () => {
    const cells = { text: 'Good morning.', voice: 'nobody' };
    const record = await recordOf({ command: 'say', kind: 'tts', cells }, { as: 'refused' });
    expect(endText(singleView(record, 0))[0]).toBe('It failed: No such voice. (nothing was charged).');
  });

  it('offers speech as it is, free, whose verification alone was lost, and says that no more is paid for', async () => {
    const cells = { text: 'Good morning.', voice: 'anna', verify: '0.25' };
    const record = await recordOf({ command: 'say', kind: 'tts', cells }, { as: 'unknown' });
    const [charge] = record.charges;
    if (charge === undefined) throw new Error('Nothing was sent.');
    const charges = [charge, { ...charge, step: 'verification', quoted: 4 } as const];
    const [why, next] = endText(singleView({ ...record, charges }, 4));
    expect(why).toMatch(/^The answer was lost\. /);
    expect(next).toContain(
      `free: voxbatch redrive ${record.batch.name} --rows 1 --accept, then the same command again.`,
    );
    expect(next).toContain(
      'To pay for another verification alone (4 credits), the first of which may have been charged',
    );
  });

  it('offers a text in parts as it is, free, of which some did not pass a check', async () => {
    const cells = { text: 'Good morning.', voice: 'anna' };
    const record = await recordOf({ command: 'say', kind: 'tts', cells }, { as: 'failed' });
    const failure = { class: 'Unfit', message: 'Part 1 of 2 ended unfit: Other words.' } as const;
    const [, next] = endText(singleView({ ...record, row: { ...record.row, parts: 2, failure } }, 0));
    expect(next).toContain(
      `free: voxbatch redrive ${record.batch.name} --rows 1 --accept, then the same command again.`,
    );
  });
});

describe('costText', () => {
  it.each([
    [true, 'About 7 credits charged.'],
    [false, '7 credits charged.'],
  ])('marks a price that the API did not tell: %p', async (isQuoted, words) => {
    const file = await place.store.put('job/1.mp3', 'ID3 the paid bytes');
    const cells = { text: 'Good morning.', voice: 'anna' };
    const record = await recordOf({ command: 'say', kind: 'tts', cells }, { file, isQuoted });
    expect(costText(singleView(record, 0))).toBe(words);
  });
});
