import type { Voice } from '../../api/speech-api.ts';
import type { FoundVoice } from '../../client/voices/find-voice.ts';
import type { VoiceUser } from '../../ledger/voice-users.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { number } from '../terminal/words.ts';
import { rowsInWords } from '../terminal/row-words.ts';
import { oneLine, tableLines } from '../terminal/table.ts';

/** A table of voices. */
export const VOICE_COLUMNS = [
  { title: 'voice', value: ({ id }: Voice) => id },
  { title: 'name', value: ({ name }: Voice) => name },
  { title: 'provider', value: ({ provider }: Voice) => provider },
] as const;

/** The API's list of voices cannot be read. `undone`: a sentence on what was not done, with a space behind it. */
export function listUnread(apiUrl: string, why: string, undone = ''): ExitError {
  return new ExitError(
    'api',
    `The API at ${apiUrl} does not list its voices: ${why} Try again later. ${undone}Nothing was spent.`,
  );
}

/** A word that is not the one voice of the list that it should be. */
export function noSuchVoice(
  asked: string,
  found: Exclude<FoundVoice, { readonly type: 'found' | 'unread' }>,
): ExitError {
  if (found.type === 'ambiguous') {
    const lines = tableLines(VOICE_COLUMNS, found.voices).map((line) => `  ${line}`);
    const count = number(found.voices.length);
    return new ExitError(
      'usage',
      `${oneLine(asked)} may be any of ${count} voices. Nothing was spent. Give the id of one:\n${lines.join('\n')}`,
    );
  }
  const hint = found.nearest === undefined ? '' : ` The nearest is ${oneLine(found.nearest)}.`;
  return usageError(`The API lists no voice ${oneLine(asked)}.${hint} See: voxbatch voices list.`);
}

/** A voice in a line: `Ada (5b3c…, fishaudio)`. */
export function voiceLine({ id, name, provider }: Voice): string {
  return `${oneLine(name)} (${[id, provider]
    .filter((word) => word !== '')
    .map(oneLine)
    .join(', ')})`;
}

/** The batches that need a voice: `batch "a" (3 rows), batch "b" (1 row that makes a voice of this name)`. */
export function usersInWords(users: readonly VoiceUser[]): string {
  return users
    .map(({ batch, speaking, making }) => {
      const parts = [
        ...(speaking === 0 ? [] : [rowsInWords(speaking)]),
        ...(making === 0
          ? []
          : [`${rowsInWords(making)} that ${making === 1 ? 'makes' : 'make'} a voice of this name`]),
      ];
      return `batch "${oneLine(batch)}" (${parts.join(', ')})`;
    })
    .join(', ');
}
