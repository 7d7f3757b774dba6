import { expect, it } from '@jest/globals';
import { chosenRows } from '../../batches/choose-rows.ts';
import { partsToRedrive } from '../../batches/parts-to-redrive.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { aBatch, aKey, aRow, claimAnew, INTENT, ledgerForEachTest } from '../ledger/setup.ts';

const FILE = { key: 'b/1.mp3', bytes: 9, sha256: 'f'.repeat(64), extension: 'mp3' };
const FAILED = { class: 'JobFailed', message: 'The job failed.' } as const;

let ledger: Ledger;
/** Row 1 is spoken in parts, which are rows 3 and 4; row 2 is whole. */
ledgerForEachTest(async (made) => {
  ledger = made;
  await ledger.createBatch(aBatch());
  const part = (text: string) => ({ spec: { kind: 'tts', text, voice: 'v', extra: {} } as const, quoted: 1 });
  await ledger.addRows('b', [{ ...aRow(1), parts: { first: 3, rows: [part('One.'), part('Two.')] } }, aRow(2)]);
  await ledger.openBatch('b', 2);
});

async function end(row: number, outcome: 'succeeded' | 'failed'): Promise<void> {
  await ledger.intend(aKey(row), INTENT);
  await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `job-${row}` }, { state: 'processing' });
  if (outcome === 'failed') await ledger.finishJob(aKey(row), { failure: FAILED }, { outcome, failure: FAILED });
  else await ledger.finishJob(aKey(row), { file: FILE }, { outcome, file: FILE });
}

async function chosen(rules: { replace?: boolean; edited?: true } = {}): Promise<readonly number[]> {
  const rows: number[] = [];
  const edit = { ...aRow(1), from: 'speech' } as const;
  const named = chosenRows(ledger, 'b', {});
  const found = {
    async *[Symbol.asyncIterator]() {
      for await (const one of named) yield rules.edited === true ? { ...one, edit } : one;
    },
  };
  const parts = partsToRedrive(ledger, 'b', found, { replace: rules.replace ?? false, step: null });
  for await (const { scanned } of parts) rows.push(scanned.row.row);
  return rows;
}

it('a row in parts is redriven by the parts that lack a result, also if it was named', async () => {
  await end(3, 'succeeded');
  await end(4, 'failed');
  expect(await chosen()).toEqual([4, 2]);
  expect(await chosen({ replace: true })).toEqual([4, 2]);
  expect(await chosen({ edited: true })).toEqual([1, 2]);
});

it('a row in parts with its result stays, or has all parts made anew', async () => {
  await end(3, 'succeeded');
  await end(4, 'succeeded');
  const whole = (await claimAnew(ledger)).rows.find(({ row }) => row.row === 1);
  await ledger.endWhole({ batch: 'b', row: 1, fence: whole?.row.fence ?? 0 }, { file: FILE });
  expect(await chosen()).toEqual([1, 2]);
  expect(await chosen({ replace: true })).toEqual([3, 4, 2]);
});
