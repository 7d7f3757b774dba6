import { setTimeout as sleep } from 'node:timers/promises';
import { readVoices } from '../../api/voices/read-voices.ts';
import { ApiError, mayHeal, type SpeechApi, type Voice } from '../../api/speech-api.ts';
import type { Dialect } from '../../contract/dialects.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Account, VoiceUser } from '../../ledger/voices/voice-users.ts';
import { nameAskedFor } from '../../policy/voices/voice-name.ts';
import { realmOf } from '../open-api.ts';
import { openRecordsIfAny } from '../open-records.ts';
import type { Session } from '../session.ts';
import { findVoice, speakingApi, type FoundVoice } from './find-voice.ts';

/** A voice that is to be deleted. */
export interface DeleteRequest {
  readonly api: Pick<SpeechApi, 'deleteVoice' | 'listVoices'>;
  readonly account: Account;
  /** Undefined: there is none, so no batch can use the voice. */
  readonly ledger: Pick<Ledger, 'voiceUsers'> | undefined;
  readonly voice: {
    readonly id: string;
    /** As the list has it; undefined: the list does not have the voice. */
    readonly name: string | undefined;
  };
}

/**
 * What became of a voice.
 *
 * - `deleted`: the API says so, or an answer was lost and the list no longer has it.
 * - `missing`: the API has no voice of this id.
 * - `in-use`: open batches need it; nothing was sent.
 * - `refused`: the API says no.
 * - `not-deleted`: there was no usable answer, and the list still has it.
 * - `unsure`: there was no usable answer, and the list does not tell.
 */
export type Deletion =
  | { readonly type: 'deleted' | 'missing' }
  | { readonly type: 'in-use'; readonly users: readonly VoiceUser[] }
  | { readonly type: 'refused' | 'not-deleted' | 'unsure'; readonly failure: Failure };

/** Whether a word can be the id of a voice. The path of another one would be that of something else. */
export function canBeVoice(asked: string): boolean {
  return !/^\s*$|^\.\.?$/.test(asked);
}

/** The voice that is to be deleted. `voice` undefined: the list does not have its id, which may be a voice all the same. */
export type VoiceToDelete =
  { readonly type: 'meant'; readonly voice: Voice | undefined } | Exclude<FoundVoice, { readonly type: 'found' }>;

/** Looks up the voice that an id, or `name:` and a name, stands for, so that it can be deleted; free. */
export async function voiceToDelete(api: Pick<SpeechApi, 'listVoices'>, asked: string): Promise<VoiceToDelete> {
  const found = await findVoice(api, asked);
  if (found.type === 'found') return { type: 'meant', voice: found.voice };
  // The name of a voice is no id that may work all the same: the answer would be that there is no such voice. Only the list tells.
  if (found.type !== 'unlisted' || found.isName || nameAskedFor(asked) !== undefined) return found;
  return { type: 'meant', voice: undefined };
}

/** What became of a voice that was to be deleted, or why it is not known which one is meant. */
export type DeletedVoice = Deletion | Exclude<VoiceToDelete, { readonly type: 'meant' }>;

/** A voice that would be deleted, as a person sees it. */
export interface VoiceAtRisk {
  readonly id: string;
  /** Undefined: the list does not have its id, which may be a voice all the same. */
  readonly voice: Voice | undefined;
  /** Open batches that need it: it is not deleted. */
  readonly usedBy: readonly VoiceUser[];
  /** Whose it is. */
  readonly account: Account;
}

/** How a voice is deleted. */
export interface DeleteOptions {
  /** See {@link speakingApi}. */
  readonly dialect?: Dialect;
  /** Called with the voice before anything is sent; rejects if it must stay. Default: nobody is asked. */
  readonly confirm?: (found: VoiceAtRisk) => Promise<void>;
}

/** Deletes the voice that an id, or `name:` and a name, stands for, unless an open batch of this ledger needs it; free. */
export async function deleteNamed(
  session: Pick<Session, 'settings' | 'api'>,
  asked: string,
  { dialect, confirm }: DeleteOptions = {},
): Promise<DeletedVoice> {
  const api = await speakingApi(session, dialect);
  const meant = await voiceToDelete(api, asked);
  if (meant.type !== 'meant') return meant;
  const voice = { id: meant.voice?.id ?? asked, name: meant.voice?.name };
  const account = realmOf(await session.api());
  const ledger = await openRecordsIfAny(session.settings);
  try {
    if (confirm !== undefined) {
      const usedBy = (await ledger?.voiceUsers(account, voice)) ?? [];
      await confirm({ id: voice.id, voice: meant.voice, usedBy, account });
    }
    return await deleteVoice({ api, account, ledger, voice });
  } finally {
    await ledger?.close();
  }
}

/** How often the API is asked: to delete twice is to delete once, and free. */
const TRIES = 3;
/** Pause before it is asked again, ms; a longer one that the API asks for counts. */
const PAUSE_MS = 500;
/** Nobody waits longer than this for the API's own pause, ms. */
const LONGEST_PAUSE_MS = 30_000;
/** How long the list may take, ms. */
const LIST_PATIENCE_MS = 60_000;

/** Deletes a voice of the account, unless an open batch of this ledger needs it; free. */
export async function deleteVoice(request: DeleteRequest): Promise<Deletion> {
  const { api, account, ledger, voice } = request;
  const users = (await ledger?.voiceUsers(account, voice)) ?? [];
  if (users.length > 0) return { type: 'in-use', users };
  for (let tries = 1; ; tries++) {
    try {
      const answer = await api.deleteVoice(voice.id);
      // An answer before may have been lost after the deed.
      return { type: tries > 1 ? 'deleted' : answer };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { failure } = error;
      const end = await endAfter(failure, request);
      if (end.type === 'deleted' || end.type === 'refused' || tries >= TRIES) return end;
      await sleep(Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, failure.retryAfterMs ?? 0)));
    }
  }
}

/** What is known of a voice after an answer that did not say that it is deleted. */
async function endAfter(failure: Failure, { api, voice }: DeleteRequest): Promise<Deletion> {
  if (!mayHeal(failure)) return { type: 'refused', failure };
  const list = await readVoices(api, { ids: new Set([voice.id]), patienceMs: LIST_PATIENCE_MS, tries: 2 });
  if (list.type === 'read' && list.voices.has(voice.id)) return { type: 'not-deleted', failure };
  // A list that did not have it before says nothing by not having it now.
  const isGone = list.type === 'read' && voice.name !== undefined;
  return isGone ? { type: 'deleted' } : { type: 'unsure', failure };
}
