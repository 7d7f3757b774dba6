import { describe, expect, it } from '@jest/globals';
import { copyStemOf, foldersOf, jobStemOf, joinedStemOf, placeOfKey, stemOf } from '../../store/layout.ts';

describe('where results lie', () => {
  it.each([
    [1, '0000'],
    [10_000, '0000'],
    [10_001, '0001'],
    [1_000_000, '0099'],
    [123_456_789, '12345'],
  ])('row %d shares a folder with the others of its ten thousand', (row, folder) => {
    expect(foldersOf({ rowsAFolder: 10_000 }, row)).toEqual([folder]);
    const stem = stemOf({ stem: 'lines-1f', rowsAFolder: 10_000 }, { row, step: 'speech', take: 2 });
    expect(stem).toBe(`lines-1f/${folder}/${row}-speech-2`);
  });

  it('stays as it was for a batch of an earlier version', () => {
    expect(stemOf({ stem: 'lines', rowsAFolder: null }, { row: 70_000, step: 'speech', take: 1 })).toBe(
      'lines/70000-speech-1',
    );
  });

  it('is another place for each job of a take, whatever its id is made of', () => {
    const at = (jobId: string): string =>
      jobStemOf({ stem: 'lines', rowsAFolder: null }, { row: 7, step: 'speech', take: 1 }, jobId);
    expect(at('../a b')).toMatch(/^lines\/7-speech-1-job-[0-9a-f]{12}$/);
    expect(at('../a b')).not.toBe(at('../a c'));
  });

  it('says whose result a file is that a request brought', () => {
    const layout = { stem: 'lines-1f', rowsAFolder: 10_000 };
    const place = { row: 7, step: 'lip-sync', take: 2 };
    for (const stem of [stemOf(layout, place), jobStemOf(layout, place, 'j')])
      expect(placeOfKey(`${stem}.mp4`)).toEqual({ key: `${stem}.mp4`, ...place });
    const copy = placeOfKey(`${copyStemOf(layout, place, 'ab'.repeat(32))}.mp4`);
    const joined = placeOfKey(`${joinedStemOf(layout, 7, 'ab'.repeat(32))}.wav`);
    expect([copy, joined, placeOfKey('.ledger')]).toEqual([undefined, undefined, undefined]);
  });

  it('is another place for each content that a row may use of an earlier one', () => {
    const at = (sha256: string): string =>
      copyStemOf({ stem: 'lines', rowsAFolder: null }, { row: 7, step: 'speech', take: 1 }, sha256);
    const places = ['a', 'b'].map((digit) => at(digit.repeat(64)));
    expect(places).toEqual(['lines/7-speech-1-cached-aaaaaaaaaaaa', 'lines/7-speech-1-cached-bbbbbbbbbbbb']);
  });
});
