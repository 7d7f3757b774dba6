import type { Account } from '../../contract/names.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { readVoices } from '../../api/voices/read-voices.ts';
import { ApiError, isRetryable, type SpeechApi, type Voice } from '../../api/speech-api.ts';
import type { Dialect } from '../../contract/dialects.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { VoiceUser } from '../../ledger/voices/voice-users.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';
import { realmOf } from '../connect-api.ts';
import { openRecordsIfAny } from '../open-records.ts';
import type { Session } from '../session.ts';
import { findVoice, speakingApi, type FoundVoice } from './find-voice.ts';

/** A voice to delete. */
export interface DeleteRequest {
  readonly api: Pick<SpeechApi, 'deleteVoice' | 'listVoices'>;
  readonly account: Account;
  /** Undefined if there is none, so no batch can use the voice. */
  readonly ledger: Pick<Ledger, 'voiceUsers'> | undefined;
  readonly voice: {
    readonly id: string;
    /** Its name in the list; undefined if the list lacks the voice. */
    readonly name: string | undefined;
  };
}

/**
 * Result of deleting a voice.
 *
 * - `deleted`: the API says so, or an answer was lost and the list no longer has it.
 * - `missing`: the API has no voice of this id.
 * - `in-use`: open batches need it; nothing was sent.
 * - `refused`: the API refuses.
 * - `not-deleted`: there was no usable answer, and the list still has it.
 * - `unsure`: there was no usable answer, and the list is inconclusive.
 */
export type Deletion =
  | { readonly type: 'deleted' | 'missing' }
  | { readonly type: 'in-use'; readonly users: readonly VoiceUser[] }
  | { readonly type: 'refused' | 'not-deleted' | 'unsure'; readonly failure: Failure };

/** Whether a word can be a voice id. Any other word would form the path of a different resource. */
export function canBeVoice(idOrName: string): boolean {
  return !/^\s*$|^\.\.?$/.test(idOrName);
}

/** The voice to delete. `voice` is undefined if the list lacks its id, which may still be a voice. */
export type VoiceToDelete =
  { readonly type: 'identified'; readonly voice: Voice | undefined } | Exclude<FoundVoice, { readonly type: 'found' }>;

/** Resolves an id, or `name:` and a name, to the voice to delete; free. */
export async function voiceToDelete(api: Pick<SpeechApi, 'listVoices'>, idOrName: string): Promise<VoiceToDelete> {
  const found = await findVoice(api, idOrName);
  if (found.type === 'found') return { type: 'identified', voice: found.voice };
  // An id that the list lacks may still be a voice. The name of a listed voice is no such id: deleting it would only
  // fail.
  if (found.type !== 'unlisted' || found.isName || requestedVoiceName(idOrName) !== undefined) return found;
  return { type: 'identified', voice: undefined };
}

/** Result of a requested deletion, or why the voice could not be identified. */
export type DeletedVoice = Deletion | Exclude<VoiceToDelete, { readonly type: 'identified' }>;

/** A voice about to be deleted, for confirmation. */
export interface VoiceAtRisk {
  readonly id: string;
  /** Undefined if the list lacks its id, which may still be a voice. */
  readonly voice: Voice | undefined;
  /** Open batches that need it; if there are any, it is not deleted. */
  readonly usedBy: readonly VoiceUser[];
  /** The account that owns it. */
  readonly account: Account;
}

/** Options of {@link deleteNamed}. */
export interface DeleteOptions {
  /** See {@link speakingApi}. */
  readonly dialect?: Dialect;
  /** Called with the voice before anything is sent; rejects to keep it. Default: no confirmation. */
  readonly confirm?: (found: VoiceAtRisk) => Promise<void>;
}

/**
 * Deletes the voice that an id, or `name:` and a name, stands for, unless an open batch of this ledger needs it; free.
 */
export async function deleteNamed(
  session: Pick<Session, 'settings' | 'api'>,
  idOrName: string,
  { dialect, confirm }: DeleteOptions = {},
): Promise<DeletedVoice> {
  const api = await speakingApi(session, dialect);
  const target = await voiceToDelete(api, idOrName);
  if (target.type !== 'identified') return target;
  const voice = { id: target.voice?.id ?? idOrName, name: target.voice?.name };
  const account = realmOf(await session.api());
  const ledger = await openRecordsIfAny(session.settings);
  try {
    if (confirm !== undefined) {
      const usedBy = (await ledger?.voiceUsers(account, voice)) ?? [];
      await confirm({ id: voice.id, voice: target.voice, usedBy, account });
    }
    return await deleteVoice({ api, account, ledger, voice });
  } finally {
    await ledger?.close();
  }
}

/** Max attempts. Deletion is idempotent and free. */
const MAX_TRIES = 3;
/** Pause between attempts, ms, unless the API asks for a longer one. */
const PAUSE_MS = 500;
/** Longest pause requested by the API that is honored, ms. */
const MAX_PAUSE_MS = 30_000;
/** Timeout for the list, ms. */
const LIST_TIMEOUT_MS = 60_000;

/** Deletes a voice of the account, unless an open batch of this ledger needs it; free. */
export async function deleteVoice(request: DeleteRequest): Promise<Deletion> {
  const { api, account, ledger, voice } = request;
  const users = (await ledger?.voiceUsers(account, voice)) ?? [];
  if (users.length > 0) return { type: 'in-use', users };
  for (let tries = 1; ; tries++) {
    try {
      const answer = await api.deleteVoice(voice.id);
      // An earlier attempt may have deleted it before its answer was lost.
      return { type: tries > 1 ? 'deleted' : answer };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { failure } = error;
      const end = await endAfter(failure, request);
      if (end.type === 'deleted' || end.type === 'refused' || tries >= MAX_TRIES) return end;
      await sleep(Math.min(MAX_PAUSE_MS, Math.max(PAUSE_MS, failure.retryAfterMs ?? 0)));
    }
  }
}

/** Determines a voice's fate after an answer that did not confirm its deletion. */
async function endAfter(failure: Failure, { api, voice }: DeleteRequest): Promise<Deletion> {
  if (!isRetryable(failure)) return { type: 'refused', failure };
  const list = await readVoices(api, { ids: new Set([voice.id]), patienceMs: LIST_TIMEOUT_MS, tries: 2 });
  if (list.type === 'read' && list.voices.has(voice.id)) return { type: 'not-deleted', failure };
  // If the list lacked it before, its absence now proves nothing.
  const isGone = list.type === 'read' && voice.name !== undefined;
  return isGone ? { type: 'deleted' } : { type: 'unsure', failure };
}
