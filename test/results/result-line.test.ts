import { describe, expect, it } from '@jest/globals';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import { roundCredits } from '../../contract/price-units.ts';
import { creditsKindOf, creditsOf, filesOf, resultFields } from '../../results/result-line.ts';
import type { Charged, NamingBatch } from '../../results/result-line.ts';

const reported: Charged = { state: 'accepted', charged: 2, chargedFrom: 'api' };
const quoted: Charged = { state: 'done', charged: 1.5, chargedFrom: 'quote' };
const refused: Charged = { state: 'not-accepted', charged: null, chargedFrom: null };
const lost: Charged = { state: 'unknown', charged: null, chargedFrom: null };
const unpriced: Charged = { state: 'accepted', charged: null, chargedFrom: null };

describe('credits of a row', () => {
  it.each([
    [[], 0, 'none'],
    [[refused], 0, 'none'],
    [[reported], 2, 'reported'],
    [[refused, reported, reported], 4, 'reported'],
    [[reported, quoted], 3.5, 'estimated'],
    [[reported, lost], 2, 'uncertain'],
    [[quoted, unpriced], 1.5, 'uncertain'],
  ] as const)('of %j are %d, %s', (charges, credits, kind) => {
    expect(creditsOf(charges)).toBe(credits);
    expect(creditsKindOf(charges)).toBe(kind);
  });

  it('are written without the noise of binary fractions', () => expect(roundCredits(0.1 + 0.2)).toBe(0.3));
});

describe('a result that plays longer than its row allows', () => {
  const messageOf = (most: number | undefined, seconds: number | undefined, oddity?: string): string => {
    const file = { key: 'k', bytes: 1, sha256: 'a', extension: 'mp3', seconds, oddity };
    const spec = { kind: 'tts', extra: {}, max_seconds: most };
    const row = {
      row: 1,
      id: 'r',
      kind: 'tts',
      spec,
      outcome: 'succeeded',
      take: 1,
      text: null,
      file,
    } as unknown as RowRecord;
    return resultFields({ row, charges: [] }, 'b', 'media/r.mp3')._message;
  };

  it('says so, beside what else is odd, and is a result all the same', () => {
    expect(messageOf(4, 5.204)).toBe('It plays 1.21 s longer than its max_seconds (4 s).');
    expect(messageOf(4, 4.001, 'The speech is fast.')).toBe(
      'The speech is fast. It plays 0.01 s longer than its max_seconds (4 s).',
    );
    for (const [most, seconds] of [
      [4, 4],
      [undefined, 9],
      [4, undefined],
    ] as const)
      expect(messageOf(most, seconds)).toBe('');
  });
});

describe('the names of results', () => {
  const file = { key: 'x/1-speech-1.mp3', bytes: 1, sha256: 'a', extension: 'mp3' };
  const row = { row: 12_345, id: 'r', spec: { kind: 'tts', extra: {} }, input: [], extraFiles: [], file };

  function nameIn(
    rows: number,
    rowsAFolder: number | null,
    change: Partial<RowRecord> = {},
    safeIds?: boolean,
  ): string | undefined {
    const settings = { nameTemplate: '{kind}/{id}.{ext}', safeIds };
    const batch = { rows, layout: { stem: 'x', rowsAFolder }, columns: [], settings } as unknown as NamingBatch;
    return filesOf({ outcome: 'succeeded', ...row, ...change } as RowRecord, batch)[0]?.name;
  }

  it('are all in one folder, until a batch is too large for that', () => {
    expect(nameIn(30_000, 10_000)).toBe('media/tts/r.mp3');
    expect(nameIn(30_001, 10_000)).toBe('media/0001/tts/r.mp3');
    expect(nameIn(30_001, 10_000, { outcome: 'unfit' })).toBe('media/unfit/0001/tts/r.mp3');
  });

  it('have ids in them that every file system takes, but for a batch of an earlier version', () => {
    expect(nameIn(1, 1, { id: 'L/77' }, true)).toMatch(/^media\/tts\/L_77-[0-9a-f]{8}\.mp3$/);
    expect(nameIn(1, 1, { id: 'take 1: b?' })).toBe('media/tts/take 1: b?.mp3');
  });

  it('stay where they are in a large batch of an earlier version', () => {
    expect(nameIn(70_000, null)).toBe('media/tts/r.mp3');
  });
});
