import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { LoadedRow } from '../../../ledger/record-types.ts';
import { aBatch, aKey, aRow, ledgerForEachTest } from '../setup.ts';

const ACCOUNT = { apiUrl: aBatch().apiUrl, account: aBatch().account };
const ADA = { id: 'v-1', name: 'Ada' };
let opened: Ledger;
ledgerForEachTest((fresh) => {
  opened = fresh;
});
const ledger = (): Ledger => opened;

const speaking = (row: number, voice: string): LoadedRow => ({ ...aRow(row), spec: { ...aRow(row).spec, voice } });
const making = (row: number, name: string): LoadedRow => ({
  ...aRow(row, 'voice'),
  spec: { kind: 'voice', name, extra: {} },
});

async function load(rows: readonly LoadedRow[], name = 'b'): Promise<void> {
  await ledger().createBatch(aBatch(name));
  await ledger().addRows(name, rows);
  await ledger().openBatch(name, rows.length);
}

describe('who needs a voice', () => {
  it('is every open batch with rows that speak with it, paused ones too', async () => {
    await load([speaking(1, 'v-1'), speaking(2, 'v-2'), speaking(3, 'v-1')]);
    await load([speaking(1, 'v-1')], 'a');
    await ledger().setControl('a', 'paused');
    expect(await ledger().voiceUsers(ACCOUNT, ADA)).toEqual([
      { batch: 'a', speaking: 1, making: 0 },
      { batch: 'b', speaking: 2, making: 0 },
    ]);
    expect(await ledger().voiceUsers({ ...ACCOUNT, account: 'other' }, ADA)).toEqual([]);
  });

  it('counts a row in parts once', async () => {
    const { spec } = speaking(1, 'v-1');
    const rows = [1, 2, 3].map(() => ({ spec, quoted: 1 }));
    await load([{ ...speaking(1, 'v-1'), parts: { first: 2, rows } }]);
    expect(await ledger().voiceUsers(ACCOUNT, ADA)).toEqual([{ batch: 'b', speaking: 1, making: 0 }]);
  });

  it('is nobody once those rows have ended', async () => {
    await load([speaking(1, 'v-1'), speaking(2, 'v-2')]);
    await ledger().giveUp(aKey(1), { outcome: 'cancelled' });
    expect(await ledger().voiceUsers(ACCOUNT, ADA)).toEqual([]);
  });

  it('is a batch with a row that makes a voice of this name, and with rows that wait for that one', async () => {
    const waiting = { ...speaking(2, 'name:Ada'), waitsFor: { type: 'made', row: 1 } as const };
    await load([making(1, ' Ada '), waiting, making(3, 'Bob')]);
    expect(await ledger().voiceUsers(ACCOUNT, ADA)).toEqual([{ batch: 'b', speaking: 0, making: 1 }]);
    expect(await ledger().voiceUsers(ACCOUNT, { id: 'v-1', name: undefined })).toEqual([]);
    await ledger().giveUp({ ...aKey(1), step: 'voice' }, { outcome: 'succeeded', text: 'v-1' });
    expect(await ledger().voiceUsers(ACCOUNT, ADA)).toEqual([{ batch: 'b', speaking: 1, making: 0 }]);
  });
});
