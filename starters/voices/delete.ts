import type { Voice } from '../../api/speech-api.ts';
import { realmOf, type OpenApi } from '../../client/open-api.ts';
import { openRecordsIfAny } from '../../client/open-records.ts';
import {
  canBeVoice,
  deleteVoice as deleteIt,
  voiceToDelete,
  type Deletion,
  type DeleteRequest,
} from '../../client/voices/delete-voice.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { dialectFor, type DialectFlag } from '../commands/dialect-flag.ts';
import type { ReadFlags } from '../commands/read-flags.ts';
import { openApi } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import { confirmRemoval, requireConsent, type Ask } from '../confirm-removal.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { personAt } from '../person.ts';
import { askYesNo } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';
import { sentence } from '../terminal/words.ts';
import { oneLine } from '../terminal/table.ts';
import { listUnread, noSuchVoice, usersInWords, voiceLine } from './voice-words.ts';

/** Flags of `voices delete`. */
export interface DeleteFlags extends ReadFlags, DialectFlag {
  readonly yes?: boolean;
}

/** `voxbatch voices delete VOICE`: deletes a voice of the account for good, after asking. Spends nothing. */
export async function deleteVoice(
  asked: string,
  flags: DeleteFlags,
  output: Output,
  ask: Ask = askYesNo,
): Promise<ExitName> {
  const person = personAt(output, flags);
  const settings = await readSettings();
  if (!canBeVoice(asked)) throw usageError(`"${asked}" is not the id of a voice. See: voxbatch voices list.`);
  const open = await openApi(settings, flags);
  const api = open.api.speaking(dialectFor(flags, settings.config));
  try {
    const voice = await listedVoice(api, asked);
    requireConsent(person);
    const shown = voice === undefined ? oneLine(asked) : voiceLine(voice);
    const wanted = { id: voice?.id ?? asked, name: voice?.name };
    const ledger = await openRecordsIfAny(settings);
    try {
      const request: DeleteRequest = { api, account: realmOf(open), ledger, voice: wanted };
      if (!person.yes) {
        const users = (await ledger?.voiceUsers(request.account, wanted)) ?? [];
        if (users.length > 0) throw inUse(shown, users);
        output.say(questionOf(shown, voice, open));
        await confirmRemoval(ask);
      }
      return tell(await deleteIt(request), { shown, id: wanted.id }, flags, output);
    } finally {
      await ledger?.close();
    }
  } finally {
    open.api.close();
  }
}

/** The voice as the list has it. Undefined: an id that is not listed, which may be a voice all the same. */
async function listedVoice(api: OpenApi['api'], asked: string): Promise<Voice | undefined> {
  const meant = await voiceToDelete(api, asked);
  if (meant.type === 'unread') throw listUnread(api.baseUrl, meant.why, 'Nothing was deleted. ');
  if (meant.type !== 'meant') throw noSuchVoice(asked, meant);
  return meant.voice;
}

function questionOf(shown: string, voice: Voice | undefined, { api, profile }: OpenApi): string {
  const listed = voice === undefined ? " (not in the API's list)" : '';
  return `Voice ${shown}${listed} of account ${oneLine(profile.userId)} at ${api.baseUrl}. What it has cost is not paid back.`;
}

function tell(
  end: Deletion,
  { shown, id }: { readonly shown: string; readonly id: string },
  { json = false }: DeleteFlags,
  output: Output,
): ExitName {
  if (end.type === 'in-use') throw inUse(shown, end.users);
  const failure = 'failure' in end ? end.failure : undefined;
  const sentence = sentenceOf(end, shown);
  if (json) output.data(JSON.stringify({ voice: id, result: end.type.replaceAll('-', '_'), message: sentence }));
  else output.data(sentence);
  output.say('Nothing was spent.');
  return failure?.class === 'BadToken' ? 'api' : EXITS[end.type];
}

const EXITS: Readonly<Record<Exclude<Deletion['type'], 'in-use'>, ExitName>> = {
  deleted: 'complete',
  missing: 'complete',
  refused: 'failures',
  'not-deleted': 'failures',
  unsure: 'unknown',
};

function sentenceOf(end: Exclude<Deletion, { readonly type: 'in-use' }>, shown: string): string {
  switch (end.type) {
    case 'deleted':
      return `Voice ${shown} is deleted.`;
    case 'missing':
      return `The API has no voice ${shown}: it was deleted before, or there never was one.`;
    case 'refused':
      return `Voice ${shown} was not deleted. The API refused it: ${sentence(oneLine(end.failure.message))}`;
    case 'not-deleted':
      return `Voice ${shown} was not deleted, as far as the API's list shows: ${sentence(oneLine(end.failure.message))} Run the same command again.`;
    case 'unsure':
      return `Nobody knows whether voice ${shown} is deleted: ${sentence(oneLine(end.failure.message))} Run the same command again; that is safe.`;
  }
}

function inUse(shown: string, users: Extract<Deletion, { readonly type: 'in-use' }>['users']): ExitError {
  return new ExitError(
    'refused',
    `Voice ${shown} is needed by ${usersInWords(users)}. Let them end, or stop them (voxbatch stop BATCH), then run the same command. Nothing was deleted. Nothing was spent.`,
    { facts: { used_by: users } },
  );
}
