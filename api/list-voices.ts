import { defined } from '../contract/defined.ts';
import type { Connection } from './connection.ts';
import { readList } from './read-job.ts';
import { readJson } from './read-json.ts';
import { asNumber, firstOf, type JsonObject, objectsAt } from './read-members.ts';
import { readListedVoice } from './read-voice.ts';
import type { Voice, VoiceFilter } from './speech-api.ts';

/** Voices per page; public clients use this size. */
const PAGE_SIZE = 100;

/** Far more pages than an account can have; stops an endless list. */
const MOST_PAGES = 1_000;

const LISTS = ['items', 'data.items', 'voices', 'data.voices', 'data', 'models', 'data.models', ''];

/**
 * All voices, page by page; by `search` here, where the API does not search. Throws ApiError.
 *
 * Whatever paging the service follows, repeated voices are dropped, and a page without a new one is the last.
 */
export async function* listVoices(
  connection: Connection,
  { search, inTurn = (read) => read() }: VoiceFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<Voice> {
  const { searchesVoices, voices } = connection.dialect;
  const seen = new Set<string>();
  let offset = 0;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const request = voices({ page, pageSize: PAGE_SIZE, offset, ...defined({ search }) });
    const { items, total } = await inTurn(() => readJson(connection, request, readPage, signal));
    offset += items.length;
    let fresh = 0;
    for (const voice of items.map(readListedVoice)) {
      if (voice === undefined || seen.has(voice.id)) continue;
      seen.add(voice.id);
      fresh += 1;
      if (searchesVoices || search === undefined || isFound(voice, search)) yield voice;
    }
    if (fresh === 0 || (total !== undefined && offset >= total)) return;
  }
}

function isFound({ id, name }: Voice, search: string): boolean {
  return [id, name].some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

function readPage(json: unknown): { items: readonly JsonObject[]; total: number | undefined } | undefined {
  const items = readList(json, LISTS);
  const total = firstOf(objectsAt(json, ['', 'data', 'pagination', 'data.pagination']), ['total'], asNumber);
  return items === undefined ? undefined : { items, total };
}
