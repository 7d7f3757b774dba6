import { defined } from '../../contract/defined.ts';
import type { Connection } from '../connection.ts';
import { readList } from '../read-job.ts';
import { readJson, requestChange } from '../read-json.ts';
import { asNumber, firstOf, type JsonObject, objectsAt } from '../read-members.ts';
import { readListedVoice } from './read-voice.ts';
import { ApiError, type Voice, type VoiceFilter } from '../speech-api.ts';
import type { Answer } from '../read-answer.ts';
import { isOwnErrorBody } from '../read-error-body.ts';

/** Voices per page; public clients use this size. */
const PAGE_SIZE = 100;

/** Where an answer may have the list. */
const LISTS = ['items', 'data.items', 'voices', 'data.voices', 'data', 'models', 'data.models', ''];

/** The filters that the service takes. */
type FilterName = 'search' | 'provider';

/**
 * Yields the voices that pass the filters, each once; a voice added or deleted during the reading may be missed. Throws
 * ApiError, also at the end of a list of which the service shows only a part.
 *
 * A service that ignores a filter returns everything; the filter is then applied locally, `search` by name and id only.
 * To detect that, one request without the filter is made as soon as a voice appears that the filter does not explain,
 * because the service may have matched it by other facts.
 */
export async function* listVoices(
  connection: Connection,
  { search, provider, inTurn = (read) => read(), onIgnored }: VoiceFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<Voice> {
  const { searchesVoices, voices } = connection.dialect;
  const given = { ...defined({ search }), ...defined({ provider }) };
  const readPage = async (place: PagePlace, filter: typeof given): Promise<VoicePage> => {
    const request = voices({ ...place, pageSize: PAGE_SIZE, ...filter });
    return inTurn(() => readJson(connection, request, readPageOf, signal));
  };
  const names = (['search', 'provider'] as const).filter((name) => given[name] !== undefined);
  const ignored = new Set<FilterName>(searchesVoices ? [] : names);
  const tested = new Set<FilterName>(ignored);
  const pages = readVoicePages((place) => readPage(place, given));
  for (let next = await pages.next(); ; next = await pages.next()) {
    if (next.done === true) {
      if (next.value.isCut) throw new ApiError(cutList(next.value.total));
      break;
    }
    const voice = next.value;
    for (const name of names) {
      if (tested.has(name) || passes(voice, name, given)) continue;
      tested.add(name);
      const others = Object.fromEntries(Object.entries(given).filter(([other]) => other !== name));
      const start = { page: 1, offset: 0 };
      if (isSame(await readPage(start, given), await readPage(start, others))) ignored.add(name);
    }
    if ([...ignored].every((name) => passes(voice, name, given))) yield voice;
  }
  for (const name of ignored) onIgnored?.(name);
}

/** Whether a voice passes a filter, as far as its own facts show. */
function passes(
  voice: Voice,
  filter: FilterName,
  { search = '', provider = '' }: Readonly<Partial<Record<FilterName, string>>>,
): boolean {
  if (filter === 'provider') return voice.provider.toLowerCase() === provider.toLowerCase();
  return [voice.id, voice.name].some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

function isSame(one: VoicePage, other: VoicePage): boolean {
  return JSON.stringify(one.voices.map(({ id }) => id)) === JSON.stringify(other.voices.map(({ id }) => id));
}

/** Returns the failure of a list that reports more voices than it shows. */
function cutList(total: number | undefined): ApiError['failure'] {
  return {
    class: 'ServiceDown',
    message:
      `GET /voices says that there are ${String(total ?? 'more')} voices, but gives the same first ones whatever page is asked for; ` +
      'the others cannot be read.',
    cause: 'a list of voices without pages',
  };
}

function readPageOf(json: unknown): VoicePage | undefined {
  const items: readonly JsonObject[] | undefined = readList(json, LISTS);
  if (items === undefined) return undefined;
  const places = objectsAt(json, ['', 'data', 'pagination', 'data.pagination']);
  const read = items.flatMap((item) => readListedVoice(item) ?? []);
  return {
    voices: read,
    nameless: items.length - read.length,
    total: firstOf(places, ['total'], asNumber),
    pageSize: firstOf(places, ['pageSize', 'page_size', 'limit'], asNumber),
  };
}

/** Asks the API to delete a voice, once. `missing`: there is no voice with this id. Throws ApiError. */
export async function deleteVoice(
  connection: Connection,
  voiceId: string,
  signal: AbortSignal | undefined,
): Promise<'deleted' | 'missing'> {
  const answer = await requestChange(connection, connection.dialect.deleteVoice(voiceId), {
    isDone: saysMissing,
    signal,
  });
  return saysMissing(answer) ? 'missing' : 'deleted';
}

/** Whether a 404 is the API's own: one for a wrong route says nothing about the voice. */
function saysMissing({ status, json }: Answer): boolean {
  return status === 404 && isOwnErrorBody(json);
}

/** A page of the list. */
export interface VoicePage {
  readonly voices: readonly Voice[];
  /** Entries without an id, which nobody can use. */
  readonly nameless: number;
  /** Number of all voices, if the service reports it. */
  readonly total: number | undefined;
  /** Max voices per page, if the service reports it. */
  readonly pageSize: number | undefined;
}

/** The position of a page, by number and by offset. */
export interface PagePlace {
  /** From 1. */
  readonly page: number;
  readonly offset: number;
}

/**
 * How a list ended. `isCut`: it is endless, or the service does not page but reports more; `total`: the number it
 * reports.
 */
export interface ListEnd {
  readonly isCut: boolean;
  readonly total: number | undefined;
}

/** Far more pages than an account can have: stops an endless list. */
const MAX_PAGES = 2_000;
/** No service has smaller pages. */
const MIN_PAGE = 5;
/** After this many pages in a row without new voices, an endless list is abandoned. */
const MAX_STALE = 3;

/**
 * Every voice of a paged list, exactly once, from a service with unknown paging: by offset, by page number, with its
 * own page size, or not at all. Each request has both an offset and a page number. A voice is missed if a deletion
 * shifts it to a page already read. Throws what `read` throws.
 */
export async function* readVoicePages(
  read: (place: PagePlace) => Promise<VoicePage>,
): AsyncGenerator<Voice, ListEnd, undefined> {
  const seen = new Set<string>();
  let last: VoicePage | undefined;
  let [offset, stale] = [0, 0];
  const end = (isUnpaged = false): ListEnd => {
    const { total, nameless = 0 } = last ?? {};
    return { isCut: isUnpaged && total !== undefined && total > seen.size + nameless, total };
  };
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const found = await read({ page, offset });
    const count = found.voices.length + found.nameless;
    if (count === 0) return end();
    if (page === 2 && last !== undefined && isSamePage(found, last)) return end(true);
    const before = seen.size;
    for (const voice of found.voices) {
      if (seen.has(voice.id)) continue;
      seen.add(voice.id);
      yield voice;
    }
    last = found;
    stale = seen.size > before ? 0 : stale + 1;
    if (stale === MAX_STALE) return end(true);
    if (page === 1 && isWhole(found)) return end();
    offset += count;
  }
  return { isCut: true, total: last?.total };
}

/** Whether the service's figures agree that the first page is the whole list. A total alone may be that of the page. */
function isWhole({ voices, total, pageSize = 0 }: VoicePage): boolean {
  return total !== undefined && total <= voices.length && voices.length < Math.max(pageSize, MIN_PAGE);
}

function isSamePage(one: VoicePage, other: VoicePage): boolean {
  return one.voices.length === other.voices.length && one.voices.every(({ id }, at) => id === other.voices[at]?.id);
}
