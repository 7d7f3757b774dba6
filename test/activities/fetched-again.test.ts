import { expect, it } from '@jest/globals';
import type { Failure } from '../../contract/failures.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import type { RowEffect } from '../../ledger/rows/row-effects.ts';
import { attemptOfFile, lostFile } from '../../policy/redrive/lost-file.ts';
import { afterJobFailed } from '../../policy/rows/new-take.ts';
import { BATCH, keyOf, tts, verified, speaks, type Wanted, type Rule } from './rows.ts';
import { begin, type World } from './world.ts';

/** What may happen while a lost file is fetched again. */

interface Lost {
  readonly world: World;
  /** The attempt that brought the file. */
  readonly brought: ChargeRecord;
  readonly file: ResultFile;
  /** Its job has been read again. */
  readonly comesHome: (
    end: { readonly file: ResultFile } | { readonly failure: Failure },
    effect?: RowEffect,
  ) => Promise<RowSnapshot['row']>;
}

/** A row whose file was lost, and which is opened to have its job read again. `accepted`: a person took its earlier take. */
async function withLost(spec: RowSpec, wanted: Wanted = {}, rules: Rule[] = [], accepted = false): Promise<Lost> {
  const { world, worker } = await begin([spec], { wanted, rules });
  const { ledger } = world;
  await worker.work();
  if (accepted) await ledger.redrive(BATCH, [{ row: 1, take: 2, outcome: 'unfit', how: { type: 'accept' } }]);
  const { outcome, take, file, charges } = await world.row();
  const brought = attemptOfFile(charges, file?.key);
  if (outcome === null || brought?.file == null) throw new Error('The row has no file to lose.');
  const lost = lostFile('missing', undefined);
  await ledger.redrive(BATCH, [{ row: 1, take, outcome, how: { type: 'wait' }, lost }]);
  const key = keyOf(1, brought.attempt, brought.step, brought.take);
  const comesHome: Lost['comesHome'] = async (end, effect = { state: 'waiting' }) =>
    (await ledger.finishJob(key, end, effect)).row;
  return { world, brought, file: brought.file, comesHome };
}

/** The row has the speech of its first take, which a person accepted, after a second. */
const withLostEarlierTake = (): Promise<Lost> =>
  withLost(verified(), { retakes: 1 }, [speaks('missing-sentence'), speaks('other-words')], true);

it.each([
  ['an earlier', withLostEarlierTake, 2],
  ['the same', () => withLost(verified()), 1],
])('a stop waits for the file of %s take, as for any running job', async (_, have, take) => {
  const { world, brought, file, comesHome } = await have();
  await world.ledger.setControl(BATCH, 'stopping');
  await world.ledger.cancelRest(BATCH);
  expect(await world.row()).toMatchObject({ outcome: null, state: 'processing' });
  expect(await world.ledger.runningJobs(BATCH)).toMatchObject([{ row: 1, take: brought.take, file }]);
  expect(await comesHome({ file })).toMatchObject({ outcome: 'succeeded', take, file });
});

it('a stop at once leaves the file of an earlier take to a later, free redrive', async () => {
  const { world, file, comesHome } = await withLostEarlierTake();
  await world.ledger.stopNow(BATCH);
  expect(await world.row()).toMatchObject({ outcome: 'overdue', failure: { class: 'Overdue' } });
  expect(await comesHome({ file })).toMatchObject({ outcome: 'succeeded', file });
});

it('other, unfit content, or a job that is now said to have failed, is not paid for by itself, whatever --retakes allows', async () => {
  const silent = await withLost(tts(), { retakes: 1 });
  const unfit = { class: 'Unfit', message: 'It is silent.' } as const;
  const file = { ...silent.file, sha256: 'c'.repeat(64), unfit: 'silent' } as const;
  const otherwise = { outcome: 'unfit', failure: unfit, file } as const;
  const retake = { retake: 'speech', reason: 'retake', most: 1, otherwise } as const;
  expect(await silent.comesHome({ file }, retake)).toMatchObject({ outcome: 'unfit', take: 1, failure: unfit, file });

  const failed = await withLost(tts(), { retakes: 1 });
  const failure = { class: 'JobFailed', message: 'It failed.' } as const;
  const home = await failed.comesHome({ failure }, afterJobFailed(1, 'running', 'speech', failure));
  expect(home).toMatchObject({ outcome: 'failed', take: 1, failure });
});

it('says of speech that nothing verifies that it is another file than the row had', async () => {
  const { world, file: lost, comesHome } = await withLost(tts());
  const file = { ...lost, sha256: 'c'.repeat(64) };
  const home = await comesHome({ file }, { outcome: 'succeeded', file });
  expect(home).toMatchObject({ outcome: 'succeeded', file: { ...file, oddity: expect.stringMatching(/another/) } });
  expect((await world.row()).charges[0]?.file).toEqual(home.file);
});
