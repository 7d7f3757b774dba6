import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { ledgerForEachTest } from '../setup.ts';

const API = 'http://127.0.0.1/api/open/v1';
const ACCOUNT = { apiUrl: API, account: 'u1' };

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

describe('limits of texts', () => {
  it('are not known at first', async () => {
    expect(await ledger.textLimits(API)).toEqual({});
  });

  it('are kept for each operation, with the time of the refusal', async () => {
    const before = Date.now();
    await ledger.noteTextLimit(ACCOUNT, 'speech-job', 5_000);
    await ledger.noteTextLimit(ACCOUNT, 'speech-sync', 300);
    const found = await ledger.textLimits(API);
    expect(found).toMatchObject({ 'speech-job': { most: 5_000 }, 'speech-sync': { most: 300 } });
    expect(found['speech-job']?.learntAt).toBeGreaterThanOrEqual(before);
  });

  it('are those of the last refusal, whether they grew or shrank', async () => {
    for (const most of [5_000, 400, 9_000]) {
      await ledger.noteTextLimit(ACCOUNT, 'speech-job', most);
      expect(await ledger.textLimits(API, 'u1')).toMatchObject({ 'speech-job': { most } });
    }
  });

  it('are of one account, and of one address of an API', async () => {
    await ledger.noteTextLimit(ACCOUNT, 'speech-job', 5_000);
    expect(await ledger.textLimits(API, 'u2')).toEqual({});
    expect(await ledger.textLimits('http://127.0.0.1/other')).toEqual({});
    expect(await ledger.textLimits(API)).toMatchObject({ 'speech-job': { most: 5_000 } });
  });
});
