import { readVoices } from '../../api/voices/read-voices.ts';
import { type SpeechApi, type Voice, ApiError, type VoiceFilter } from '../../api/speech-api.ts';
import { soleDialect, type Dialect } from '../../contract/dialects.ts';
import { suggestName } from '../../contract/suggest-name.ts';
import { requestedVoiceName, VoiceNames } from '../../policy/voices/voice-name.ts';
import { createApi, realmOf } from '../connect-api.ts';
import type { Session } from '../session.ts';
import type { ApiAccess } from '../settings.ts';
import type { VoiceUser } from '../../ledger/voices/voice-users.ts';
import { openRecordsIfAny } from '../open-records.ts';

/** Timeout for the whole list, ms, and max attempts per page. */
const LIST_TIMEOUT_MS = 60_000;
const MAX_TRIES = 4;

/**
 * The voice that an id, or `name:` and a name, stands for in the API's list. `unlisted`: not in the list, which may
 * omit working voices; `nearest` is the closest match, and `isName` means that voices have it as their name. `unread`:
 * the list cannot be read.
 */
export type FoundVoice =
  | { readonly type: 'found'; readonly voice: Voice }
  | { readonly type: 'ambiguous'; readonly voices: readonly Voice[] }
  | { readonly type: 'unlisted'; readonly nearest: string | undefined; readonly isName: boolean }
  | { readonly type: 'unread'; readonly why: string };

/** Returns the API's client for a dialect (a version of the API). Default: that of all rows of a new batch. */
export async function speakingApi(
  { settings, ...session }: Pick<Session, 'settings' | 'api'>,
  dialect?: Dialect,
): Promise<SpeechApi> {
  const { api } = await session.api();
  return api.speaking(dialect ?? soleDialect(settings.config.apiDialect));
}

/** Looks a voice up in the API's list; free. */
export async function findVoice(api: Pick<SpeechApi, 'listVoices'>, idOrName: string): Promise<FoundVoice> {
  const name = requestedVoiceName(idOrName);
  const ids = name === undefined ? new Set([idOrName]) : undefined;
  const read = await readVoices(api, { ids, patienceMs: LIST_TIMEOUT_MS, tries: MAX_TRIES });
  if (read.type === 'cut') return { type: 'unread', why: read.why };
  const voices = [...read.voices.values()];
  if (name === undefined) {
    const voice = read.voices.get(idOrName);
    if (voice !== undefined) return { type: 'found', voice };
    // Users often forget the `name:` prefix.
    const isName = new VoiceNames(voices).find(idOrName).type !== 'unknown';
    return {
      type: 'unlisted',
      isName,
      nearest: isName ? `name:${idOrName}` : suggestName(idOrName, [...read.voices.keys()]),
    };
  }
  const named = new VoiceNames(voices).find(name);
  if (named.type === 'found') return { type: 'found', voice: named.voice };
  if (named.type === 'ambiguous') return named;
  const names = voices.map((voice) => voice.name);
  const like = suggestName(name, names);
  return { type: 'unlisted', isName: false, nearest: like === undefined ? undefined : `name:${like}` };
}

/** Timeout for a list that is only used for warnings, ms. */
const WARN_TIMEOUT_MS = 5_000;

/**
 * Whether the API's list can be read quickly and lacks the voice; free. Throws {@link VoxbatchError} as `createApi`
 * does.
 */
export async function isVoiceGone(access: ApiAccess, id: string, dialect: Dialect): Promise<boolean> {
  const api = await createApi(access);
  try {
    const ids = new Set([id]);
    const list = await readVoices(api.speaking(dialect), { ids, patienceMs: WARN_TIMEOUT_MS, tries: 1 });
    return list.type === 'read' && !list.voices.has(id);
  } finally {
    api.close();
  }
}

/** Which voices are wanted. */
export type ListWish = Pick<VoiceFilter, 'search' | 'provider'>;

/**
 * The account's voices. `filteredHere`: filters that the API ignores and that were therefore applied locally, by name,
 * id and provider. `unread`: the list cannot be read to its end.
 */
export type VoiceList =
  | {
      readonly type: 'listed';
      readonly voices: readonly Voice[];
      readonly filteredHere: readonly ('search' | 'provider')[];
    }
  | { readonly type: 'unread'; readonly why: string };

/** Reads all pages of the API's list of voices; free. */
export async function listVoices(
  api: Pick<SpeechApi, 'listVoices'>,
  { search, provider }: ListWish,
): Promise<VoiceList> {
  const voices: Voice[] = [];
  const filteredHere: ('search' | 'provider')[] = [];
  const onIgnored: VoiceFilter['onIgnored'] = (filter) => filteredHere.push(filter);
  try {
    for await (const voice of api.listVoices({ search, provider, onIgnored })) voices.push(voice);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { type: 'unread', why: error.failure.message };
  }
  return { type: 'listed', voices, filteredHere };
}

/** A voice and the open batches of this ledger that need it, or why there is none. */
export type ShownVoice =
  | { readonly type: 'found'; readonly voice: Voice; readonly usedBy: readonly VoiceUser[] }
  | Exclude<FoundVoice, { readonly type: 'found' }>;

/** Looks up a voice in the API's list, and the open batches that need it; free. `dialect`: see {@link speakingApi}. */
export async function showVoice(
  session: Pick<Session, 'settings' | 'api'>,
  idOrName: string,
  dialect?: Dialect,
): Promise<ShownVoice> {
  const found = await findVoice(await speakingApi(session, dialect), idOrName);
  if (found.type !== 'found') return found;
  const account = realmOf(await session.api());
  const ledger = await openRecordsIfAny(session.settings);
  try {
    return { ...found, usedBy: (await ledger?.voiceUsers(account, found.voice)) ?? [] };
  } finally {
    await ledger?.close();
  }
}

/** A listed voice, ready for display. */
export interface ListedVoiceView extends Pick<Voice, 'id' | 'name' | 'provider'> {
  /** Null if the API does not say. */
  readonly engines: readonly string[] | null;
  readonly state: 'in-training' | 'ready';
  /** Null if the API does not say. */
  readonly createdAt: Date | null;
}

/** A voice and who needs it, ready for display. */
export interface VoiceView extends ListedVoiceView {
  readonly usedBy: readonly VoiceUser[];
}

/** Views a listed voice for `--json`. */
export function viewVoice({ id, name, provider, modelIds, isInTraining, createdAtMs }: Voice): ListedVoiceView {
  return {
    ...{ id, name, provider, engines: modelIds ?? null, state: isInTraining === true ? 'in-training' : 'ready' },
    createdAt: createdAtMs === undefined ? null : new Date(createdAtMs),
  };
}

/** Views a voice and who needs it, for `--json`. */
export function viewShownVoice({ voice, usedBy }: Extract<ShownVoice, { readonly type: 'found' }>): VoiceView {
  return { ...viewVoice(voice), usedBy };
}
