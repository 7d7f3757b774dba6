import type { Dialect } from '../../contract/dialects.ts';
import { listVoices as readList } from '../../client/voices/list-voices.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { dialectFor, type DialectFlag } from '../commands/dialect-flag.ts';
import type { ReadFlags } from '../commands/read-flags.ts';
import { openApi } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';
import { tableLines } from '../terminal/table.ts';
import { listUnread, VOICE_COLUMNS } from './voice-words.ts';

/** Flags of `voices list`. */
export interface ListFlags extends ReadFlags, DialectFlag {
  readonly search?: string;
  readonly provider?: string;
}

/** Why no voice is shown. The legacy paths name no provider. */
function emptyWords({ search, provider }: ListFlags, dialect: Dialect): string {
  if (provider !== undefined && dialect === 'legacy')
    return 'No voice matches: the legacy paths do not tell the providers of voices. Use --api-dialect v1.';
  return search === undefined && provider === undefined ? 'The API lists no voice.' : 'No voice matches.';
}

/** `voxbatch voices list`: the voices that the account can use. Spends nothing. */
export async function listVoices(flags: ListFlags, output: Output): Promise<ExitName> {
  const settings = await readSettings();
  const { api } = await openApi(settings, flags);
  const dialect = dialectFor(flags, settings.config);
  const list = await readList(api.speaking(dialect), flags).finally(() => {
    api.close();
  });
  if (list.type === 'unread') throw listUnread(api.baseUrl, list.why);
  const { voices, filteredHere } = list;
  for (const filter of filteredHere) {
    const by = filter === 'search' ? 'name and id' : 'provider';
    output.say(`The API does not filter by --${filter}; these are all of its voices that match by ${by}.`);
  }
  if (flags.json === true) output.data(JSON.stringify(voices));
  else if (voices.length > 0) for (const line of tableLines(VOICE_COLUMNS, voices)) output.data(line);
  if (voices.length === 0) output.say(emptyWords(flags, dialect));
  return 'complete';
}
