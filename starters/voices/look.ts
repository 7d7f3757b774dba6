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

/** Returns the API's dialect for a command on voices: `--api-dialect`, else the config's. */
export function dialectFor({ apiDialect }: Flags, config: Settings['config']): Dialect {
  return soleDialect(apiDialect ?? config.apiDialect);
}

/** Returns why the list is empty. The legacy dialect lists voices without their providers. */
function emptyWords({ search, provider }: Flags, dialect: Dialect): string {
  if (provider !== undefined && dialect === 'legacy')
    return 'No voice matches: the legacy paths do not tell the providers of voices. Use --api-dialect v1.';
  return search === undefined && provider === undefined ? 'The API lists no voice.' : 'No voice matches.';
}

/** `voxbatch voices list`: lists the voices that the account can use. Spends nothing. */
export async function listVoices(flags: Flags, { output }: RunContext): Promise<ExitName> {
  return withSession<ExitName>(flags, async (session, { config }) => {
    const dialect = dialectFor(flags, config);
    const list = await readList(await speakingApi(session, dialect), flags);
    if (list.type === 'unread') throw unreadListError(await session.access(), list.why);
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

/** `voxbatch voices show VOICE`: shows a voice of the API's list, and the open batches that need it. Spends nothing. */
export async function showVoice(nameOrId: string, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return withSession<ExitName>(flags, async (session, { config }) => {
    const found = await show(session, nameOrId, dialectFor(flags, config));
    if (found.type !== 'found') throw noSuchVoice(nameOrId, found, await session.access());
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

const VOICE_COLUMNS = [
  { title: 'voice', value: ({ id }: Voice) => id },
  { title: 'name', value: ({ name }: Voice) => name },
  { title: 'provider', value: ({ provider }: Voice) => provider },
] as const;

/** Returns the error for a list that cannot be read. `undone`: what was not done, such as `Nothing was deleted. `. */
function unreadListError({ baseUrl }: { readonly baseUrl: string }, why: string, undone = ''): ExitError {
  return new ExitError(
    'api-away',
    `The API at ${baseUrl} does not list its voices: ${why} Try again later. ${undone}Nothing was spent.`,
  );
}

/** Returns the error for an operand that does not name exactly one voice. `undone`: see {@link unreadListError}. */
export function noSuchVoice(
  nameOrId: string,
  found: Exclude<FoundVoice, { readonly type: 'found' }>,
  access: { readonly baseUrl: string },
  undone?: string,
): ExitError {
  if (found.type === 'unread') return unreadListError(access, found.why, undone);
  if (found.type === 'ambiguous') {
    const lines = tableLines(VOICE_COLUMNS, found.voices).map((line) => `  ${line}`);
    const count = number(found.voices.length);
    return new ExitError(
      'usage',
      `${oneLine(nameOrId)} may be any of ${count} voices. Nothing was spent. Give the id of one:\n${lines.join('\n')}`,
    );
  }
  const hint = found.nearest === undefined ? '' : ` The nearest is ${oneLine(found.nearest)}.`;
  return usageError(
    `The API lists no voice ${oneLine(nameOrId)}.${hint} See: voxbatch voices list.`,
    'voxbatch voices list',
  );
}

/** Describes a voice: `Ada (5b3c…, fishaudio)`. */
export function voiceLine({ id, name, provider }: Voice): string {
  return `${oneLine(name)} (${[id, provider]
    .filter((word) => word !== '')
    .map(oneLine)
    .join(', ')})`;
}

/** Describes the batches that need a voice: `batch "a" (3 rows), batch "b" (1 row that makes a voice of this name)`. */
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
