import { expect, it } from '@jest/globals';
import type { Voice } from '../../../api/speech-api.ts';
import { readVoicePages, type ListEnd, type PagePlace, type VoicePage } from '../../../api/voices/list-voices.ts';

const voice = (n: number): Voice => ({ id: `v${String(n)}`, name: `Voice ${String(n)}`, provider: 'fishaudio' });

async function readAll(
  page: (place: PagePlace) => Partial<VoicePage>,
): Promise<{ readonly ids: readonly string[]; readonly end: ListEnd; readonly reads: number }> {
  const ids: string[] = [];
  let reads = 0;
  const pages = readVoicePages((place) => {
    reads += 1;
    return Promise.resolve({ voices: [], nameless: 0, total: undefined, pageSize: undefined, ...page(place) });
  });
  for (;;) {
    const next = await pages.next();
    if (next.done === true) return { ids, end: next.value, reads };
    ids.push(next.value.id);
  }
}

it('GET /voices: a list without an end is left, once, and counts as cut', async () => {
  const { end, reads } = await readAll(({ page }) => ({ voices: [1, 2, 3].map((n) => voice(3 * page + n)) }));
  expect(end.isCut).toBe(true);
  expect(reads).toBe(2_000);
});

it('GET /voices: a page of entries without ids is not the end', async () => {
  const pages: Readonly<Record<number, Partial<VoicePage>>> = {
    1: { voices: [1, 2, 3, 4, 5, 6].map(voice) },
    2: { nameless: 6 },
    3: { voices: [7, 8, 9].map(voice) },
  };
  const { ids, end } = await readAll(({ page }) => ({ total: 15, ...pages[page] }));
  expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => voice(n).id));
  expect(end.isCut).toBe(false);
});
