/** @slow */
import { describe, expect, it } from '@jest/globals';
import { SHAPES } from '../../../simulator/shapes.ts';
import type { SimulatorOptions } from '../../../simulator/settings.ts';
import type { VoiceFilter } from '../../../api/speech-api.ts';
import { createSpeechApi } from '../../../api/create-api.ts';
import { openSimulator } from '../../simulator/with-simulator.ts';

const COUNT = 5_000;

interface Listed {
  /** Ids in the order in which they came. */
  readonly ids: readonly string[];
  readonly ignored: readonly string[];
  /** Ids of all voices that are there afterwards. */
  readonly left: readonly string[];
  readonly requests: number;
  readonly error: unknown;
}

async function list(options: SimulatorOptions, filter: VoiceFilter = {}): Promise<Listed> {
  const { simulator, origin } = await openSimulator(options);
  const api = createSpeechApi({ baseUrl: simulator.url, token: simulator.token });
  const ids: string[] = [];
  const ignored: string[] = [];
  let requests = 0;
  let error: unknown;
  const inTurn = <T>(read: () => Promise<T>): Promise<T> => {
    requests += 1;
    return read();
  };
  try {
    for await (const { id } of api.listVoices({ ...filter, inTurn, onIgnored: (name) => ignored.push(name) })) {
      ids.push(id);
    }
  } catch (thrown) {
    error = thrown;
  } finally {
    api.close();
  }
  const left = (await origin('GET', '/__simulator/voices')).json as string[];
  return { ids, ignored, left, requests, error };
}

const HABITS = ['offset', 'page'].flatMap((paging) =>
  SHAPES['voices.size'].flatMap((size) => SHAPES['voices.total'].map((total) => [paging, size, total] as const)),
);

describe('GET /voices: every way to page', () => {
  it.each(HABITS)('GET /voices: by %s, size %s, total %s: %#', async (paging, size, total) => {
    const shape = `voices.paging=${paging},voices.size=${size},voices.total=${total}`;
    const { ids, left, error } = await list({ shape, voiceCount: 500 });
    expect(error).toBeUndefined();
    expect(ids).toEqual(left);
  });

  it('GET /voices: reads a list that stays as it is once, where the service takes an offset', async () => {
    const shape = 'voices.paging=offset,voices.size=asked,voices.total=true,voices.body=paged';
    expect((await list({ shape, voiceCount: COUNT })).requests).toBeLessThan(COUNT / 100 + 3);
    expect((await list({ shape })).requests).toBe(1);
  });

  it.each(['true', 'more'])('GET /voices: says that a list without pages is cut (total: %s)', async (total) => {
    const shape = `voices.paging=none,voices.size=asked,voices.total=${total},voices.body=paged`;
    const { ids, error } = await list({ shape, voiceCount: 300 });
    expect(ids).toHaveLength(100);
    expect(error).toMatchObject({
      failure: { class: 'ServiceDown', message: expect.stringContaining('cannot be read') },
    });
  });

  it('GET /voices: is content with a list without pages that is whole', async () => {
    const shape = 'voices.paging=none,voices.size=large,voices.total=true,voices.body=paged';
    const { ids, left, error } = await list({ shape, voiceCount: 200 });
    expect(error).toBeUndefined();
    expect(ids).toEqual(left);
  });
});

describe('GET /voices: filters', () => {
  it.each([
    ['honoured', []],
    ['ignored', ['search', 'provider']],
  ])('GET /voices: that the service has %s', async (filter, ignored) => {
    const shape = `voices.filter=${filter},voices.paging=offset,voices.size=asked`;
    const found = await list({ shape, voiceCount: 300 }, { search: 'voice 2', provider: 'fishaudio' });
    expect(found.ids).toHaveLength(111);
    expect([...found.ignored].sort()).toEqual([...ignored].sort());
    expect((await list({ shape }, { provider: 'minimax' })).ids).toEqual(['storyteller']);
  });

  it('GET /voices: trusts a service that finds voices by more than their names', async () => {
    const found = await list({ shape: 'voices.filter=honoured', voiceCount: 30 }, { search: 'of the account' });
    expect(found.ids).toHaveLength(30);
    expect(found.ignored).toEqual([]);
  });
});
