import { describe, expect, it } from '@jest/globals';
import { ENDPOINTS, FURTHER_ENDPOINTS, FURTHER_LEGACY_ENDPOINTS, LEGACY_ENDPOINTS } from './api-surface.ts';
import { namedTestsIn, readNamedTests } from './read-titles.ts';

const named = new Set(readNamedTests().map(({ shows }) => shows));
const known: readonly string[] = [
  ...ENDPOINTS,
  ...FURTHER_ENDPOINTS,
  ...Object.keys(LEGACY_ENDPOINTS),
  ...Object.keys(FURTHER_LEGACY_ENDPOINTS),
];

describe('the titles of tests', () => {
  it('name only endpoints of the list, as it writes them (test/docs/api-surface.ts)', () => {
    const strange = [...named].filter((shows) => !shows.startsWith('voxbatch ') && !known.includes(shows));
    expect(strange).toEqual([]);
  });

  it('are found in calls of it() and it.each(), and nowhere else', () => {
    const source = `
      it('GET /voices: lists', async () => {
      ])('voxbatch say: speaks %s', async (words) => {
      it("POST /profile: it's kept", () => {
      it('reads GET /voices: later', () => {
      call('GET /voices: this is no test');
      // it('GET /voices')
    `;
    expect(namedTestsIn(source, 'test/a.test.ts')).toEqual([
      { shows: 'GET /voices', title: 'lists', file: 'test/a.test.ts' },
      { shows: 'voxbatch say', title: 'speaks %s', file: 'test/a.test.ts' },
      { shows: 'POST /profile', title: "it's kept", file: 'test/a.test.ts' },
    ]);
  });
});
