import { describe, expect, it } from '@jest/globals';
import type { VoiceWait } from '../../../contract/batch.ts';
import type { LoadedRow } from '../../../ledger/record-types.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RowEnding } from '../../../ledger/rows/row-effects.ts';
import { aBatch, aKey, aRow, claimAnew, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

const ACCOUNT = { apiUrl: aBatch().apiUrl, account: aBatch().account };
let opened: Ledger;
ledgerForEachTest((fresh) => {
  opened = fresh;
});
const ledger = (): Ledger => opened;

async function claimed(): Promise<readonly number[]> {
  return (await claimAnew(ledger())).rows.map(({ row }) => row.row);
}

const made = (row: number): VoiceWait => ({ type: 'made', row });

/** Loads rows of which the first `makers` make voices, and the others speak with those of these rows. */
async function loadMade(makers: number, ...waits: readonly number[]): Promise<void> {
  await ledger().createBatch(aBatch());
  const named = (row: number): LoadedRow['spec'] => ({ ...aRow(row).spec, voice: `name:N${String(row)}` });
  const rows = [
    ...Array.from({ length: makers }, (_, at) => aRow(at + 1, 'voice')),
    ...waits.map((maker, at) => ({ ...aRow(makers + at + 1), spec: named(maker), waitsFor: made(maker) })),
  ];
  await ledger().addRows('b', rows);
  await ledger().openBatch('b', rows.length);
}

/** Ends a row without any request, as a late answer or a person may. */
function end(row: number, effect: RowEnding): Promise<unknown> {
  return ledger().giveUp({ ...aKey(row), step: 'voice' }, effect);
}

async function standings(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { row } of ledger().scanRows('b')) found.push(row.outcome ?? row.state);
  return found;
}

describe('rows whose voice another row makes', () => {
  it('wait for that row, then for a look at the voice, and speak with its id', async () => {
    await loadMade(2, 1, 2, 1);
    expect(await claimed()).toEqual([1, 2]);
    await end(1, { outcome: 'succeeded', text: 'v-1' });
    expect(await standings()).toEqual(['succeeded', 'waiting', 'blocked', 'blocked', 'blocked']);
    expect((await ledger().readRow('b', 3))?.row).toMatchObject({
      spec: { voice: 'v-1' },
      awaitedVoice: 'v-1',
      voiceRow: 1,
    });
    expect((await ledger().readRow('b', 4))?.row).toMatchObject({ spec: { voice: 'name:N2' }, awaitedVoice: null });
    expect(await ledger().takeVoiceLook(ACCOUNT, Date.now() + 1)).toMatchObject([
      { batch: 'b', voice: 'v-1', watch: { wasRead: false } },
    ]);
    await ledger().settleVoices([{ batch: 'b', voice: 'v-1', then: 'use' }]);
    expect(await claimed()).toEqual([2, 3, 5]);
  });

  it.each(['failed', 'unknown', 'cancelled', 'skipped', 'overdue'] as const)(
    'end unpaid if that row ends %s, and say which it is',
    async (outcome) => {
      await loadMade(1, 1, 1);
      await end(1, { outcome });
      expect(await standings()).toEqual([outcome, 'failed', 'failed']);
      expect((await ledger().readRow('b', 2))?.row.failure).toMatchObject({
        class: 'NoVoice',
        message: expect.stringContaining(`Row 1 (r1) makes the voice of this row, and ended ${outcome}.`) as unknown,
      });
      expect(await ledger().closeBatch('b')).toBe(0);
      expect((await ledger().counts('b')).states.blocked).toBe(0);
    },
  );

  it('are back as soon as that row is redriven, and as soon as a late answer brings its voice', async () => {
    await loadMade(1, 1, 1);
    await end(1, { outcome: 'failed' });
    await ledger().closeBatch('b');
    await redriveNow(ledger(), 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'voice', reason: 'redrive' } }]);
    expect(await standings()).toEqual(['waiting', 'blocked', 'blocked']);
    const again = { ...aKey(1, 1, 2), step: 'voice' } as const;
    expect(await ledger().intend(again, INTENT)).toMatchObject({ type: 'go' });
    await ledger().settle(
      again,
      { verdict: 'unknown', failure: { class: 'OutcomeUnknown', message: 'Lost.' } },
      {
        outcome: 'unknown',
      },
    );
    expect(await standings()).toEqual(['unknown', 'failed', 'failed']);
    expect(await ledger().closeBatch('b')).toBe(0);
    await ledger().settle(again, { verdict: 'done', jobId: 'v-7' }, { outcome: 'succeeded', text: 'v-7' });
    expect(await standings()).toEqual(['succeeded', 'blocked', 'blocked']);
    expect((await ledger().findBatch('b'))?.state).toBe('open');
    expect((await ledger().readRow('b', 3))?.row).toMatchObject({
      spec: { voice: 'v-7' },
      failure: null,
      endedAt: null,
    });
  });

  it('cannot be redriven past a row that did not succeed', async () => {
    await loadMade(1, 1);
    await end(1, { outcome: 'failed' });
    await redriveNow(ledger(), 'b', [{ row: 2, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    expect(await standings()).toEqual(['failed', 'failed']);
    expect((await ledger().readRow('b', 2))?.row).toMatchObject({ take: 2, failure: { class: 'NoVoice' } });
  });

  it('are free of that row if a person gives them another voice', async () => {
    await loadMade(1, 1);
    await end(1, { outcome: 'failed' });
    const spec = { ...aRow(2).spec, voice: 'narrator' };
    const edited = { spec, input: ['r2', 'Row 2', 'narrator'], quoted: 2.5 };
    await redriveNow(ledger(), 'b', [
      { row: 2, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'edited', edited } },
    ]);
    expect(await claimed()).toEqual([2]);
    expect((await ledger().readRow('b', 2))?.row).toMatchObject({ voiceRow: null, spec: { voice: 'narrator' } });
  });

  it('speak with the first voice if that row makes another one after them', async () => {
    await loadMade(1, 1);
    await end(1, { outcome: 'succeeded', text: 'v-1' });
    await ledger().settleVoices([{ batch: 'b', voice: 'v-1', then: 'use' }]);
    await redriveNow(ledger(), 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'voice', reason: 'redrive' } }]);
    expect(await standings()).toEqual(['waiting', 'waiting']);
    expect((await ledger().readRow('b', 2))?.row.spec.voice).toBe('v-1');
  });

  it('are cancelled with that row if the batch is stopped, wherever they stand', async () => {
    // A stop ends rows in pages of 1,000.
    await loadMade(1, ...Array.from({ length: 1_100 }, () => 1));
    await ledger().setControl('b', 'stopping');
    await ledger().cancelRest('b');
    expect((await ledger().counts('b')).outcomes).toMatchObject({ cancelled: 1_101, failed: 0 });
  });

  it.each([
    ['cleaned', 'failed'],
    ['stopped', 'unknown'],
  ] as const)('stay ended in a batch that was %s meanwhile, whatever a late answer brings', async (how, outcome) => {
    await loadMade(1, 1);
    const key = { ...aKey(1), step: 'voice' } as const;
    await ledger().intend(key, INTENT);
    const failure = { class: 'OutcomeUnknown', message: 'Lost.' } as const;
    await ledger().settle(key, { verdict: 'unknown', failure }, { outcome, failure });
    if (how === 'stopped') await ledger().setControl('b', 'stopping');
    await ledger().closeBatch('b');
    if (how === 'cleaned') {
      await ledger().beginClean('b', { media: false, rows: true });
      await ledger().cleanRows('b', [1, 2]);
      await ledger().endClean('b');
    }
    await ledger().settle(key, { verdict: 'done', jobId: 'v-7' }, { outcome: 'succeeded', text: 'v-7' });
    expect(await standings()).toEqual(['succeeded', 'failed']);
    expect((await ledger().findBatch('b'))?.state).toBe('closed');
  });
});
