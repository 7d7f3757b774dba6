import { defined } from '../contract/defined.ts';
import type { Connection } from './connection.ts';
import { readList } from './read-job.ts';
import { readJson } from './read-json.ts';
import { asId, asIds, asNumber, asText, firstOf, type JsonObject, objectsAt } from './read-members.ts';
import type { Voice } from './speech-api.ts';

/** Voices per page; public clients use this size. */
const PAGE_SIZE = 100;

/** Far more pages than an account can have; stops an endless list. */
const MOST_PAGES = 1_000;

const LISTS = ['items', 'data.items', 'voices', 'data.voices', 'data', 'models', 'data.models', ''];

/**
 * All voices, page by page. Throws ApiError.
 *
 * The contract pages by `limit` and `offset` but answers with `page` and `pageSize`, and public clients send those. We
 * send both, with the same meaning; repeated voices are dropped, and a page without a new one is the last.
 */
export async function* listVoices(
  connection: Connection,
  search: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Voice> {
  const seen = new Set<string>();
  let offset = 0;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const query = new URLSearchParams({
      limit: String(PAGE_SIZE),
      offset: String(offset),
      page: String(page),
      pageSize: String(PAGE_SIZE),
      includePersonal: 'true',
      ...defined({ search }),
    });
    const { items, total } = await readJson(connection, `/voices?${query.toString()}`, '/voices', readPage, signal);
    offset += items.length;
    let fresh = 0;
    for (const voice of items.map(readVoice)) {
      if (voice === undefined || seen.has(voice.id)) continue;
      seen.add(voice.id);
      fresh += 1;
      yield voice;
    }
    if (fresh === 0 || (total !== undefined && offset >= total)) return;
  }
}

function readPage(json: unknown): { items: readonly JsonObject[]; total: number | undefined } | undefined {
  const items = readList(json, LISTS);
  const total = firstOf(objectsAt(json, ['', 'data', 'pagination', 'data.pagination']), ['total'], asNumber);
  return items === undefined ? undefined : { items, total };
}

function readVoice(item: JsonObject): Voice | undefined {
  const objects = [...objectsAt(item, ['voice']), item];
  const id = firstOf(objects, ['voiceId', 'id', 'voice_id', 'modelId'], asId);
  if (id === undefined) return undefined;
  return {
    id,
    name: firstOf(objects, ['name', 'title'], asText) ?? id,
    provider: firstOf(objects, ['provider'], asText) ?? '',
    ...defined({ modelIds: firstOf(objects, ['modelIds', 'model_ids'], asIds) }),
  };
}
