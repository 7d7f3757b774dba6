/** @slow */
import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import type { ReconcileOptions } from '../../../client/reconcile/reconcile-options.ts';
import type { Voxbatch } from '../../../client/voxbatch.ts';
import { libraryOnSampleBatch } from '../sample-batch-of.ts';

/** What a program is told of rows whose answer was lost, where nobody has to work on the batch. test/live/library.test.ts has them worked on. */

const { place, library } = libraryOnSampleBatch();

const reconcile = (options: ReconcileOptions = {}): ReturnType<ReturnType<Voxbatch['batch']>['reconcile']> =>
  library()
    .batch('demo')
    .reconcile({ out: join(place.folder, 'out'), ...options });

describe('reconcile', () => {
  it('looks for all unknown rows, or for those that are named', async () => {
    const lost = { id: 'e', type: 'still-unknown', hasList: false };
    expect(await reconcile()).toMatchObject({ type: 'settled', rows: [lost], orphans: { type: 'listed' } });
    expect(await reconcile({ rows: ['#5'] })).toMatchObject({ type: 'settled', rows: [lost] });
  });

  it.each<[ReconcileOptions, object]>([
    [{ rows: ['a'] }, { type: 'not-unknown', word: 'a' }],
    [{ rows: ['zz'] }, { type: 'no-row', word: 'zz' }],
    [{ resubmit: ['a'] }, { type: 'not-unknown', word: 'a' }],
    [{ release: ['zz'] }, { type: 'no-row', word: 'zz' }],
    [{ notCharged: ['e/2'] }, { type: 'no-take', word: 'e', take: 2, takes: 1 }],
    [{ adopt: [{ row: 'zz', job: 'job-1' }] }, { type: 'no-row', word: 'zz' }],
    [
      {
        adopt: [
          { row: 'e', job: 'job-1' },
          { row: '#5', job: 'job-2' },
        ],
      },
      { type: 'adopted-twice', what: 'row', word: '#5' },
    ],
    [
      {
        adopt: [
          { row: 'e', job: 'job-1' },
          { row: 'f', job: 'job-1' },
        ],
      },
      { type: 'adopted-twice', what: 'job', word: 'job-1' },
    ],
  ])('of %j says what is wrong with it, and changes nothing', async (options, fault) => {
    expect(await reconcile(options)).toEqual(fault);
  });

  it.each<ReconcileOptions>([{ rows: [] }, { adopt: [{ row: 'e', job: '' }] }, { release: [' '] }])(
    'refuses %j',
    async (options) => {
      await expect(reconcile(options)).rejects.toMatchObject({ problem: { type: 'bad-option' } });
    },
  );

  it('tells which rows a person was wrong about', async () => {
    expect(await reconcile({ adopt: [{ row: 'e', job: 'job-1' }], release: ['a'] })).toMatchObject({
      type: 'settled',
      rows: [
        { id: 'a', type: 'refused', why: { type: 'not-adopted' } },
        { id: 'e', type: 'refused', why: { type: 'no-such-job' } },
      ],
    });
  });

  it('pays for no row again where the bill may not be paid', async () => {
    const lost = [{ id: 'e', type: 'still-unknown' }];
    expect(await reconcile({ resubmit: ['e'] })).toMatchObject({ type: 'refused', why: 'unconfirmed', rows: lost });
    expect(await reconcile({ resubmit: ['e'], confirm: ({ resubmitted }) => resubmitted === 0 })).toMatchObject({
      type: 'declined',
      rows: lost,
    });
  });
});
