import { defined } from '../../contract/defined.ts';
import type { Connection } from '../connection.ts';
import { readList } from '../read-job.ts';
import { readJson } from '../read-json.ts';
import { asNumber, firstOf, type JsonObject, objectsAt } from '../read-members.ts';
import { readListedVoice } from './read-voice.ts';
import { ApiError, type Voice, type VoiceFilter } from '../speech-api.ts';
import { type PagePlace, readVoicePages, type VoicePage } from './voice-pages.ts';

/** Voices per page; public clients use this size. */
const PAGE_SIZE = 100;

const LISTS = ['items', 'data.items', 'voices', 'data.voices', 'data', 'models', 'data.models', ''];

/** The filters that the service takes. */
type FilterName = 'search' | 'provider';

/**
 * The voices that pass the filters: all that stay in the list while it is read, each once. Throws ApiError, also at the
 * end of a list of which the service shows only a part.
 *
 * A service that ignores a filter gives everything; then it is done here, `search` by name and id alone. Whether it ignores
 * it shows by asking once without it, as soon as a voice comes that the filter does not explain: the service may have
 * found that by other facts.
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
  const asked = new Set<FilterName>(ignored);
  const pages = readVoicePages((place) => readPage(place, given));
  for (let next = await pages.next(); ; next = await pages.next()) {
    if (next.done === true) {
      if (next.value.isCut) throw new ApiError(cutList(next.value.total));
      break;
    }
    const voice = next.value;
    for (const name of names) {
      if (asked.has(name) || passes(voice, name, given)) continue;
      asked.add(name);
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
