import { describe, expect, it } from '@jest/globals';
import { formatDialectChoice, parseDialectChoice } from '../../contract/dialects.ts';
import { dialectsOf, KINDS, operationOf } from '../../contract/row-kinds.ts';

describe('the choice of a dialect', () => {
  it.each([
    ['v1', 0],
    ['legacy', 1],
    ['legacy=20%', 0.2],
    ['legacy=0.5%', 0.005],
    ['legacy=100%', 1],
    ['legacy=0%', 0],
    ['legacy=100.5%', undefined],
    ['legacy=200%', undefined],
    ['legacy=20', undefined],
    ['legacy=-1%', undefined],
    ['V1', undefined],
    ['', undefined],
  ])('%j is a share of %j', (text, share) => expect(parseDialectChoice(text)).toBe(share));

  it.each(['v1', 'legacy', 'legacy=20%', 'legacy=0.5%', 'legacy=33.333%'])('%s is written as it is read', (text) => {
    expect(formatDialectChoice(parseDialectChoice(text) ?? -1)).toBe(text);
  });
});

it('a dialect has some kinds of rows, and speaks at once where it has no speech jobs', () => {
  expect(KINDS.filter((kind) => !dialectsOf({ kind }).includes('v1'))).toEqual([]);
  expect(dialectsOf({ kind: 'tts' })).toContain('legacy');
  expect(dialectsOf({ kind: 'lip-sync' })).toContain('legacy');
  expect(
    ['stt', 'dub', 'video-dubbing'].filter((kind) => dialectsOf({ kind: kind as 'stt' }).includes('legacy')),
  ).toEqual([]);
  expect(operationOf({ kind: 'tts', dialect: 'legacy' }, 'speech', 'job')).toBe('speech-sync');
  expect(operationOf({ kind: 'tts', dialect: 'v1' }, 'speech', 'job')).toBe('speech-job');
  expect(operationOf({ kind: 'lip-sync', dialect: 'legacy' }, 'lip-sync', 'sync')).toBe('lip-sync-job');
});
