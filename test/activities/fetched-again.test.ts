import { expect, it } from '@jest/globals';
import type { Failure } from '../../contract/failures.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { JobKey } from '../../ledger/requests/charges.ts';
import type { ChargeRecord, ResultFile, RowStanding } from '../../ledger/record-types.ts';
import type { RowEffect } from '../../ledger/rows/row-effects.ts';
import { attemptOfFile, lostFile } from '../../policy/redrive/lost-file.ts';
import { afterJobFailed } from '../../policy/rows/new-take.ts';
import type { FaultPlan } from '../../simulator/fault-plan.ts';
import { BATCH, tts, type Wanted } from './rows.ts';
import { workOn } from './cached.ts';
import { speaks, verified } from './verified.ts';
import { createWorld, type World } from './world.ts';

/** What may happen while a lost file is fetched again. */

const MISSING = lostFile('missing', undefined);

let world: World;

async function begin(spec: RowSpec, wanted: Wanted = {}, rules: FaultPlan['rules'] = []): Promise<void> {
  world = await createWorld({ plan: { rules } });
  await world.fill([spec], wanted);
  await workOn(await world.worker(), BATCH);
}

/** Loses the row's file, and opens the row to have its job read again. Returns the attempt that brought the file. */
async function lose(): Promise<ChargeRecord & { readonly file: ResultFile }> {
  const { outcome, take, file, charges } = await world.row(1);
  const brought = attemptOfFile(charges, file?.key);
  if (outcome === null || brought?.file == null) throw new Error('The row has no file to lose.');
  const ledger = await world.look();
  await ledger.redrive(BATCH, [{ row: 1, take, outcome, how: { type: 'wait' }, lost: MISSING }]);
  return { ...brought, file: brought.file };
}

async function comesHome(
  lost: ChargeRecord,
  end: { readonly file: ResultFile } | { readonly failure: Failure },
  effect: RowEffect,
): Promise<RowStanding['row']> {
  const key: JobKey = { batch: BATCH, row: 1, step: lost.step, take: lost.take, attempt: lost.attempt };
  return (await (await world.look()).finishJob(key, end, effect)).row;
}

/** The row has the speech of its first take, which a person accepted, after a second. */
async function haveEarlierTake(): Promise<void> {
  await begin(verified(), { retakes: 1 }, [speaks('missing-sentence'), speaks('other-words')]);
  const ledger = await world.look();
  await ledger.redrive(BATCH, [{ row: 1, take: 2, outcome: 'unfit', how: { type: 'accept' } }]);
}

it.each([
  ['an earlier', haveEarlierTake, 2],
  ['the same', () => begin(verified()), 1],
])('a stop waits for the file of %s take, as for any running job', async (_, have, take) => {
  await have();
  const lost = await lose();
  const ledger = await world.look();
  await ledger.setControl(BATCH, 'stopping');
  await ledger.cancelRest(BATCH);
  expect(await world.row(1)).toMatchObject({ outcome: null, state: 'processing' });
  expect(await ledger.runningJobs(BATCH)).toMatchObject([{ row: 1, take: lost.take, file: lost.file }]);
  const home = await comesHome(lost, { file: lost.file }, { state: 'waiting' });
  expect(home).toMatchObject({ outcome: 'succeeded', take, file: lost.file });
});

it('a stop at once leaves the file of an earlier take to a later, free redrive', async () => {
  await haveEarlierTake();
  const lost = await lose();
  await (await world.look()).stopNow(BATCH);
  expect(await world.row(1)).toMatchObject({ outcome: 'overdue', failure: { class: 'Overdue' } });
  expect(await comesHome(lost, { file: lost.file }, { state: 'waiting' })).toMatchObject({
    outcome: 'succeeded',
    file: lost.file,
  });
});

it('other, unfit content is not paid for by itself, whatever --retakes allows', async () => {
  await begin(tts(), { retakes: 1 });
  const lost = await lose();
  const failure = { class: 'Unfit', message: 'It is silent.' } as const;
  const file = { ...lost.file, sha256: 'c'.repeat(64), unfit: 'silent' } as const;
  const otherwise = { outcome: 'unfit', failure, file } as const;
  const home = await comesHome(lost, { file }, { retake: 'speech', reason: 'retake', most: 1, otherwise });
  expect(home).toMatchObject({ outcome: 'unfit', take: 1, failure, file });
});

it('a job that is now said to have failed is not paid for by itself either', async () => {
  await begin(tts(), { retakes: 1 });
  const lost = await lose();
  const failure = { class: 'JobFailed', message: 'It failed.' } as const;
  const home = await comesHome(lost, { failure }, afterJobFailed(1, 'running', 'speech', failure));
  expect(home).toMatchObject({ outcome: 'failed', take: 1, failure });
});

it('says of speech that nothing verifies that it is another file than the row had', async () => {
  await begin(tts());
  const lost = await lose();
  const file = { ...lost.file, sha256: 'c'.repeat(64) };
  const home = await comesHome(lost, { file }, { outcome: 'succeeded', file });
  expect(home).toMatchObject({ outcome: 'succeeded', file: { ...file, oddity: expect.stringMatching(/another/) } });
  expect((await world.row(1)).charges[0]?.file).toEqual(home.file);
});
