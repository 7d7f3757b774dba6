import { jsonLine, printAnswer, type RunContext } from '../terminal/output.ts';
import { soleDialect, type Dialect } from '../../contract/dialects.ts';
import {
  speakingApi,
  listVoices as readList,
  showVoice as show,
  viewShownVoice,
  viewVoice,
  type VoiceView,
  type FoundVoice,
} from '../../client/voices/find-voice.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Flags } from '../commands/flags.ts';
import type { Settings } from '../../client/settings.ts';
import { withSession } from '../connect/connect-api.ts';
import { tableLines, oneLine } from '../terminal/table.ts';
import type { Voice } from '../../client/index.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { form, number, plural } from '../terminal/words.ts';

/** The paths that a command uses for one thing: those of the flag, else those of all rows of a new batch. */
export function dialectFor({ apiDialect }: Flags, config: Settings['config']): Dialect {
  return soleDialect(apiDialect ?? config.apiDialect);
}

/** Why no voice is shown. The legacy paths name no provider. */
function emptyWords({ search, provider }: Flags, dialect: Dialect): string {
  if (provider !== undefined && dialect === 'legacy')
    return 'No voice matches: the legacy paths do not tell the providers of voices. Use --api-dialect v1.';
  return search === undefined && provider === undefined ? 'The API lists no voice.' : 'No voice matches.';
}

/** `voxbatch voices list`: the voices that the account can use. Spends nothing. */
export async function listVoices(flags: Flags, { output }: RunContext): Promise<ExitName> {
  return withSession<ExitName>(flags, async (session, { config }) => {
    const dialect = dialectFor(flags, config);
    const list = await readList(await speakingApi(session, dialect), flags);
    if (list.type === 'unread') throw listUnread(await session.access(), list.why);
    const { voices, filteredHere } = list;
    for (const filter of filteredHere) {
      const by = filter === 'search' ? 'name and id' : 'provider';
      output.say(`The API does not filter by --${filter}; these are all of its voices that match by ${by}.`);
    }
    if (flags.json === true) output.data(jsonLine(voices.map(viewVoice)));
    else if (voices.length > 0) for (const line of tableLines(VOICE_COLUMNS, voices)) output.data(line);
    if (voices.length === 0) output.say(emptyWords(flags, dialect));
    return 'complete';
  });
}

/**
 * `voxbatch voices show VOICE`: what the API's list says of a voice, and which open batches need it. Spends nothing.
 */
export async function showVoice(asked: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return withSession<ExitName>(flags, async (session, { config }) => {
    const found = await show(session, asked, dialectFor(flags, config));
    if (found.type !== 'found') throw noSuchVoice(asked, found, await session.access());
    const view = viewShownVoice(found);
    printAnswer(output, flags, view, () => voiceLines(view));
    return 'complete';
  });
}

function voiceLines({ id, name, provider, engines, state, usedBy }: VoiceView): readonly string[] {
  const facts: readonly (readonly [string, string])[] = [
    ['voice', id],
    ['name', name],
    ['provider', provider === '' ? 'not told' : provider],
    ['engines', engines === null ? 'not told' : engines.join(', ')],
    ['state', state === 'in-training' ? 'in training' : 'ready, as far as the API says'],
    ['needed by', usedBy.length === 0 ? 'no open batch' : usersInWords(usedBy)],
  ];
  return facts.map(([title, value]) => `${title.padEnd(9)}  ${oneLine(value)}`);
}

/** A table of voices. */
const VOICE_COLUMNS = [
  { title: 'voice', value: ({ id }: Voice) => id },
  { title: 'name', value: ({ name }: Voice) => name },
  { title: 'provider', value: ({ provider }: Voice) => provider },
] as const;

/** The API's list of voices cannot be read. `undone`: a sentence on what was not done, with a space behind it. */
function listUnread({ baseUrl }: { readonly baseUrl: string }, why: string, undone = ''): ExitError {
  return new ExitError(
    'api-away',
    `The API at ${baseUrl} does not list its voices: ${why} Try again later. ${undone}Nothing was spent.`,
  );
}

/** A word that is not the one voice of the list that it should be. `undone`: see {@link listUnread}. */
export function noSuchVoice(
  asked: string,
  found: Exclude<FoundVoice, { readonly type: 'found' }>,
  access: { readonly baseUrl: string },
  undone?: string,
): ExitError {
  if (found.type === 'unread') return listUnread(access, found.why, undone);
  if (found.type === 'ambiguous') {
    const lines = tableLines(VOICE_COLUMNS, found.voices).map((line) => `  ${line}`);
    const count = number(found.voices.length);
    return new ExitError(
      'usage',
      `${oneLine(asked)} may be any of ${count} voices. Nothing was spent. Give the id of one:\n${lines.join('\n')}`,
    );
  }
  const hint = found.nearest === undefined ? '' : ` The nearest is ${oneLine(found.nearest)}.`;
  return usageError(
    `The API lists no voice ${oneLine(asked)}.${hint} See: voxbatch voices list.`,
    'voxbatch voices list',
  );
}

/** A voice in a line: `Ada (5b3c…, fishaudio)`. */
export function voiceLine({ id, name, provider }: Voice): string {
  return `${oneLine(name)} (${[id, provider]
    .filter((word) => word !== '')
    .map(oneLine)
    .join(', ')})`;
}

/** The batches that need a voice: `batch "a" (3 rows), batch "b" (1 row that makes a voice of this name)`. */
export function usersInWords(users: VoiceView['usedBy']): string {
  return users
    .map(({ batch, speaking, making }) => {
      const parts = [
        ...(speaking === 0 ? [] : [plural(speaking, 'row')]),
        ...(making === 0
          ? []
          : [`${plural(making, 'row')} that ${form(making, 'makes', 'make')} a voice of this name`]),
      ];
      return `batch "${oneLine(batch)}" (${parts.join(', ')})`;
    })
    .join(', ');
}
