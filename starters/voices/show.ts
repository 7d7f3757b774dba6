import type { Voice } from '../../api/speech-api.ts';
import { realmOf, type OpenApi } from '../../client/open-api.ts';
import { openRecordsIfAny } from '../../client/open-records.ts';
import type { Settings } from '../../client/settings.ts';
import { findVoice } from '../../client/voices/find-voice.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { VoiceUser } from '../../ledger/voice-users.ts';
import { dialectFor, type DialectFlag } from '../commands/dialect-flag.ts';
import type { ReadFlags } from '../commands/read-flags.ts';
import { openApi } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';
import { oneLine } from '../terminal/table.ts';
import { listUnread, noSuchVoice, usersInWords } from './voice-words.ts';

/** Flags of `voices show`. */
export type ShowFlags = ReadFlags & DialectFlag;

/** `voxbatch voices show VOICE`: what the API's list says of a voice, and which open batches need it. Spends nothing. */
export async function showVoice(asked: string, flags: ShowFlags, output: Output): Promise<ExitName> {
  const settings = await readSettings();
  const open = await openApi(settings, flags);
  const { api } = open;
  const found = await findVoice(api.speaking(dialectFor(flags, settings.config)), asked).finally(() => {
    api.close();
  });
  if (found.type === 'unread') throw listUnread(api.baseUrl, found.why);
  if (found.type !== 'found') throw noSuchVoice(asked, found);
  const { voice } = found;
  const users = await usersOf(voice, open, settings);
  if (flags.json === true) output.data(JSON.stringify(voiceJson(voice, users)));
  else for (const line of voiceLines(voice, users)) output.data(line);
  return 'complete';
}

async function usersOf(voice: Voice, open: OpenApi, settings: Settings): Promise<readonly VoiceUser[]> {
  const ledger = await openRecordsIfAny(settings);
  try {
    return (await ledger?.voiceUsers(realmOf(open), voice)) ?? [];
  } finally {
    await ledger?.close();
  }
}

/** `engines`: null if the API does not tell them. */
function voiceJson({ id, name, provider, modelIds, isInTraining }: Voice, users: readonly VoiceUser[]): object {
  const state = isInTraining === true ? 'in_training' : 'ready';
  return { id, name, provider, engines: modelIds ?? null, state, used_by: users };
}

function voiceLines(voice: Voice, users: readonly VoiceUser[]): readonly string[] {
  const { id, name, provider, modelIds, isInTraining } = voice;
  const facts: readonly (readonly [string, string])[] = [
    ['voice', id],
    ['name', name],
    ['provider', provider === '' ? 'not told' : provider],
    ['engines', modelIds === undefined ? 'not told' : modelIds.join(', ')],
    ['state', isInTraining === true ? 'in training' : 'ready, as far as the API says'],
    ['needed by', users.length === 0 ? 'no open batch' : usersInWords(users)],
  ];
  return facts.map(([title, value]) => `${title.padEnd(9)}  ${oneLine(value)}`);
}
