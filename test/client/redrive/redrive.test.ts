import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { RedriveOptions } from '../../../client/redrive/redrive-options.ts';
import type { Voxbatch } from '../../../client/voxbatch.ts';
import { claimFolder } from '../../../store/owner-file.ts';
import { libraryOnSampleBatch } from '../sample-batch-of.ts';

/** What a program is told of a redrive before anything is paid. test/live/library.test.ts pays. */
const { place, library } = libraryOnSampleBatch();

const demo = (): ReturnType<Voxbatch['batch']> => library().batch('demo');
const check = (options: RedriveOptions): ReturnType<ReturnType<Voxbatch['batch']>['checkRedrive']> =>
  demo().checkRedrive(options);
const out = (): { out: string } => ({ out: join(place.folder, 'out') });

describe('checkRedrive', () => {
  it('tells how many rows would be paid for, and what is left out', async () => {
    const checked = await check({ outcomes: ['failed', 'cancelled', 'overdue'] });
    expect(checked).toMatchObject({ type: 'ready', forecast: { count: 3, paying: 2, waits: 1, replaced: 0 } });
    const taken = await check({ kinds: ['stt'] });
    expect(taken).toMatchObject({ type: 'ready', forecast: { count: 0, left: { 'has-result': 1 } } });
  });

  it('chooses the rows whose stored files are lost', async () => {
    await claimFolder(place.store.folder, place.ledger.id);
    expect(await check({ damaged: true })).toMatchObject({ type: 'ready', forecast: { count: 0 } });
    await rm(join(place.folder, 'store', 'demo', '2-transcription-1.txt'));
    const forecast = { count: 1, paying: 1, replaced: 1, lost: 1 };
    expect(await check({ damaged: true })).toMatchObject({ type: 'ready', forecast });
  });

  it('says which rows need another word', async () => {
    const checked = await check({ rows: ['e'] });
    expect(checked).toMatchObject({ type: 'refused-rows', forecast: { refused: [{ id: 'e', why: 'unknown' }] } });
    const again = await check({ rows: ['e'], resubmit: true });
    expect(again).toMatchObject({ type: 'ready', forecast: { resubmitted: 1 } });
  });

  it('says which names are no rows, and which columns of a file the batch has not', async () => {
    expect(await check({ rows: ['a', 'zz'] })).toEqual({
      type: 'missing',
      words: ['zz'],
    });
    const from = join(place.folder, 'edited.csv');
    await writeFile(from, 'id,kind,text,1,voice\nd,tts,Hello,1,v\n');
    expect(await check({ from })).toMatchObject({
      type: 'new-columns',
      columns: ['voice'],
    });
  });

  it.each<[string, RedriveOptions]>([
    ['rows', {}],
    ['rows', { rows: [] }],
    ['rows', { rows: [' '] }],
    ['outcomes', { outcomes: [] }],
    ['outcomes', { outcomes: ['broken' as 'failed'] }],
    ['classes', { classes: ['Odd' as 'JobFailed'] }],
    ['kinds', { kinds: ['song' as 'tts'] }],
    ['step', { rows: ['a'], step: 'singing' as 'speech' }],
    ['from', { from: 'edited.csv', rows: ['a'] }],
    ['accept', { rows: ['a'], accept: true, step: 'speech' }],
    ['damaged', { damaged: true, resubmit: true }],
    ['budget', { rows: ['d'], tuning: { budget: Number.NaN } }],
  ])('refuses the option %s of %j', async (option, options) => {
    const problem = { type: 'bad-option', option };
    await expect(check(options)).rejects.toMatchObject({ problem });
  });
});

describe('redrive', () => {
  it('pays for nothing where its bill may not be paid', async () => {
    const refused = await demo().redrive({ rows: ['d'], ...out() });
    expect(refused).toMatchObject({ type: 'refused', why: 'unconfirmed', facts: { rows: 1 } });
    const tuning = { budget: 1 };
    const small = await demo().redrive({ rows: ['g'], tuning, confirm: () => true, ...out() });
    expect(small).toMatchObject({ type: 'refused' });
  });

  // What is opened with the cache mode `only` may be paid for by a later mode, which asks nobody.
  it.each([{}, { cache: 'only' }] as const)(
    'pays for nothing where confirm says no, and tells it what is at stake: %j',
    async (tuning) => {
      const asked: object[] = [];
      const confirm = (facts: object): boolean => {
        asked.push(facts);
        return false;
      };
      const options = { rows: ['a', 'e'], resubmit: true, tuning, confirm, ...out() };
      expect(await demo().redrive(options)).toMatchObject({ type: 'declined' });
      expect(asked).toMatchObject([{ rows: 2, replaced: 1, resubmitted: 1 }]);
    },
  );

  it('is finished at once where there is nothing to do', async () => {
    const answer = await demo().redrive({ classes: ['JobFailed'], ...out() });
    expect(answer).toMatchObject({ type: 'finished', opened: 0, forecast: { count: 0 } });
  });
});
