import { describe, expect, it } from '@jest/globals';
import type { Dialect } from '../../contract/dialects.ts';
import { openApiDocument } from '../../simulator/open-api.ts';
import { ENDPOINTS, FURTHER_ENDPOINTS, FURTHER_LEGACY_ENDPOINTS, LEGACY_ENDPOINTS, SURFACES } from './api-surface.ts';
import { surfaceCommands } from './coverage-tables.ts';
import { namedTestsIn, readNamedTests } from './read-titles.ts';

const named = new Set(readNamedTests().map(({ shows }) => shows));
const known: readonly string[] = [
  ...ENDPOINTS,
  ...FURTHER_ENDPOINTS,
  ...Object.keys(LEGACY_ENDPOINTS),
  ...Object.keys(FURTHER_LEGACY_ENDPOINTS),
];

/** Methods and paths that the simulator's document of a dialect has. */
function simulated(dialect: Dialect): readonly string[] {
  const paths = openApiDocument(dialect)['paths'] as Readonly<Record<string, object>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

describe('what the service offers', () => {
  it.each(known)('%s has a test', (endpoint) => expect(named).toContain(endpoint));

  it.each(Object.keys(SURFACES))('%s has a command, and each of its commands a test', (surface) => {
    const commands = surfaceCommands().flatMap((one) => (one.surface === surface ? [one.command] : []));
    expect(commands).not.toEqual([]);
    for (const command of commands) expect(named).toContain(command);
  });

  it('is what the simulator answers to, in each dialect', () => {
    const legacy = [...Object.keys(LEGACY_ENDPOINTS), ...Object.keys(FURTHER_LEGACY_ENDPOINTS)];
    // It is served beside the paths that it describes.
    const v1 = known.filter((endpoint) => !legacy.includes(endpoint) && endpoint !== 'GET /api/openapi.json');
    expect(simulated('v1').toSorted()).toEqual(v1.toSorted());
    expect(simulated('legacy')).toEqual(expect.arrayContaining(legacy));
  });
});

describe('the titles of tests', () => {
  it('name only endpoints of the list, as it writes them (test/docs/api-surface.ts)', () => {
    expect([...named].filter((shows) => !shows.startsWith('voxbatch ') && !known.includes(shows))).toEqual([]);
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
