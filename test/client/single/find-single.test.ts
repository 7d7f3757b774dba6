import { describe, expect, it } from '@jest/globals';
import { readSingleJob, singleName, type SoundJob } from '../../../batches/single/single-job.ts';
import { findSingle, type SinglePlace } from '../../../client/single/find-single.ts';
import { dialectOf } from '../../../contract/row-kinds.ts';
import type { Dialect } from '../../../contract/dialects.ts';
import { aBatch, fill, ledgerForEachTest, ledger } from '../../ledger/setup.ts';

ledgerForEachTest();
const realm = aBatch();

async function sound(apiDialect: Dialect): Promise<SoundJob> {
  const cells = { text: 'Good morning.', voice: 'anna' };
  const read = await readSingleJob({ command: 'say', kind: 'tts', cells }, {}, { apiDialect });
  if (read.type !== 'sound') throw new Error('The job is faulty.');
  return read;
}

/** Puts the job on record, ended. */
async function record(job: SoundJob, edition = 1): Promise<string> {
  const name = singleName(job, realm, edition);
  await fill(ledger, 1, name);
  await ledger.stopNow(name);
  await ledger.closeBatch(name);
  return name;
}

async function clean(name: string): Promise<void> {
  await ledger.beginClean(name, { media: true, rows: true });
  await ledger.cleanRows(name, [1]);
  await ledger.endClean(name);
}

/** Where the job is, told by its names. */
async function find(job: SoundJob): Promise<object> {
  const place: SinglePlace = await findSingle(ledger, job, realm);
  return { name: place.name, found: place.found?.batch.name, dialect: dialectOf(place.job.spec) };
}

describe('a single job on record', () => {
  it('is found in whatever dialect it has there, and stays in it', async () => {
    const [v1, legacy] = [await sound('v1'), await sound('legacy')];
    expect(await find(legacy)).toEqual({ name: singleName(legacy, realm), found: undefined, dialect: 'legacy' });
    const name = await record(v1);
    expect(await find(v1)).toEqual({ name, found: name, dialect: 'v1' });
    expect(await find(legacy)).toEqual({ name, found: name, dialect: 'v1' });
  });

  it('still counts once what it asked for was removed, but is wanted anew under another name', async () => {
    const [v1, legacy] = [await sound('v1'), await sound('legacy')];
    const name = await record(v1);
    await clean(name);
    expect(await find(v1)).toEqual({ name: `${name}-2`, found: name, dialect: 'v1' });
    expect(await find(legacy)).toEqual({ name: singleName(legacy, realm), found: name, dialect: 'legacy' });
    const second = await record(v1, 2);
    expect(await find(v1)).toEqual({ name: second, found: second, dialect: 'v1' });
    expect(await find(legacy)).toEqual({ name: second, found: second, dialect: 'v1' });
  });
});
