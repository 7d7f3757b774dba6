import { expect, it } from '@jest/globals';
import { ledger, ledgerForEachTest } from '../setup.ts';

const API = 'http://127.0.0.1/api/open/v1';
const ACCOUNT = { apiUrl: API, account: 'u1' };

ledgerForEachTest();

it('limits of texts are of one account and address of an API, kept for each operation as it was last refused', async () => {
  expect(await ledger.textLimits(API)).toEqual({});
  const before = Date.now();
  await ledger.noteTextLimit(ACCOUNT, 'speech-sync', 300);
  for (const most of [5_000, 400, 9_000]) {
    await ledger.noteTextLimit(ACCOUNT, 'speech-job', most);
    const limits = { 'speech-job': { most }, 'speech-sync': { most: 300 } };
    expect(await ledger.textLimits(API, 'u1')).toMatchObject(limits);
    expect(await ledger.textLimits(API)).toMatchObject(limits);
  }
  expect((await ledger.textLimits(API))['speech-job']?.learntAt).toBeGreaterThanOrEqual(before);
  expect(await ledger.textLimits(API, 'u2')).toEqual({});
  expect(await ledger.textLimits('http://127.0.0.1/other')).toEqual({});
});
