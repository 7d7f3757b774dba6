import { printAnswer, type RunContext } from '../terminal/output.ts';
import {
  canBeVoice,
  deleteNamed,
  type DeletedVoice,
  type Deletion,
  type VoiceAtRisk,
} from '../../client/voices/delete-voice.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Flags } from '../commands/flags.ts';
import { confirmRemoval, requireConsent, type Ask, askYesNo } from '../terminal/ask.ts';
import { withSession } from '../connect/connect-api.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { personAt } from '../person.ts';
import { sentence } from '../terminal/words.ts';
import { oneLine } from '../terminal/table.ts';
import { dialectFor, noSuchVoice, usersInWords, voiceLine } from './look.ts';

/** `voxbatch voices delete VOICE`: deletes a voice of the account for good, after asking. Spends nothing. */
export async function deleteVoice(
  nameOrId: string,
  flags: Flags,
  { output }: RunContext,
  ask: Ask = askYesNo,
): Promise<ExitName> {
  const person = personAt(output, flags);
  return withSession(flags, async (session, { config }) => {
    if (!canBeVoice(nameOrId))
      throw usageError(`"${nameOrId}" is not the id of a voice. See: voxbatch voices list.`, 'voxbatch voices list');
    let shown = '';
    let id = nameOrId;
    const end = await deleteNamed(session, nameOrId, {
      dialect: dialectFor(flags, config),
      confirm: async (found) => {
        shown = found.voice === undefined ? oneLine(nameOrId) : voiceLine(found.voice);
        ({ id } = found);
        requireConsent(person);
        if (found.usedBy.length > 0) throw inUseError(shown, found.usedBy);
        if (person.yes) return;
        output.say(questionOf(shown, found));
        await confirmRemoval(ask);
      },
    });
    if (!isDeletion(end)) throw noSuchVoice(nameOrId, end, await session.access(), 'Nothing was deleted. ');
    if (end.type === 'in-use') throw inUseError(shown, end.users);
    const message = sentenceOf(end, shown);
    printAnswer(output, flags, { voice: id, result: end.type, message }, () => [message]);
    output.say('Nothing was spent.');
    return 'failure' in end && end.failure.class === 'BadToken' ? 'api' : EXITS[end.type];
  });
}

function isDeletion(end: DeletedVoice): end is Deletion {
  return end.type !== 'unread' && end.type !== 'unlisted' && end.type !== 'ambiguous';
}

/** Describes the voice before the question whether to delete it. */
function questionOf(shown: string, { voice, account: { account, apiUrl } }: VoiceAtRisk): string {
  const listed = voice === undefined ? " (not in the API's list)" : '';
  return `Voice ${shown}${listed} of account ${oneLine(account)} at ${apiUrl}. What it has cost is not paid back.`;
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

function inUseError(shown: string, users: VoiceAtRisk['usedBy']): ExitError {
  return new ExitError(
    'refused',
    `Voice ${shown} is needed by ${usersInWords(users)}. Let them end, or stop them (voxbatch stop BATCH), then run the same command. Nothing was deleted. Nothing was spent.`,
    { facts: { usedBy: users } },
  );
}
