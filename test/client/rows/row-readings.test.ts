import { describe, expect, it } from '@jest/globals';
import { rowReadings } from '../../../client/rows/explain.ts';

const KNOWN = { known: ['lines', 'demo', 'say-1'], single: ['say-1'] };

describe('the words of explain', () => {
  it('are a row of the newest batch, or of the one that --batch names', () => {
    expect(rowReadings({ first: '7' }, KNOWN)).toEqual([{ row: '7', batch: undefined }]);
    expect(rowReadings({ first: '7', named: 'other' }, KNOWN)).toEqual([{ row: '7', batch: 'other' }]);
  });

  it('may be the name of a single job, which has one row', () => {
    expect(rowReadings({ first: 'say-1' }, KNOWN)).toEqual([{ row: '1', batch: 'say-1' }]);
    expect(rowReadings({ first: 'say-1', named: 'demo' }, KNOWN)).toEqual([{ row: 'say-1', batch: 'demo' }]);
    expect(rowReadings({ first: 'say-1', second: '1' }, KNOWN)).toEqual([{ row: '1', batch: 'say-1' }]);
  });

  it('are a row and its batch in either order', () => {
    const meant = [{ row: '7', batch: 'lines' }];
    expect(rowReadings({ first: '7', second: 'lines' }, KNOWN)).toEqual(meant);
    expect(rowReadings({ first: 'lines', second: '7' }, KNOWN)).toEqual(meant);
    expect(rowReadings({ first: 'lines', second: '7', named: 'lines' }, KNOWN)).toEqual(meant);
  });

  it('can be read both ways where each is a batch, but not where --batch says which', () => {
    const words = { first: 'lines', second: 'demo' };
    expect(rowReadings(words, KNOWN)).toHaveLength(2);
    expect(rowReadings({ ...words, named: 'demo' }, KNOWN)).toEqual([{ row: 'lines', batch: 'demo' }]);
  });

  it('are one reading where the row is called as its batch', () => {
    expect(rowReadings({ first: 'demo', second: 'demo' }, KNOWN)).toEqual([{ row: 'demo', batch: 'demo' }]);
  });

  it('are no row of a third batch that --batch names, and the first is the batch where neither is one', () => {
    expect(rowReadings({ first: '7', second: 'lines', named: 'demo' }, KNOWN)).toEqual([]);
    expect(rowReadings({ first: 'liens', second: '7' }, KNOWN)).toEqual([{ row: '7', batch: 'liens' }]);
  });
});
