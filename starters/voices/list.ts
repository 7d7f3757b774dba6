import { ApiError, type Voice } from '../../api/speech-api.ts';
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

/** `voxbatch voices list`: the voices that the account can use. Spends nothing. */
export async function listVoices(flags: ListFlags, output: Output): Promise<ExitName> {
  const { search, provider } = flags;
  const settings = await readSettings();
  const { api } = await openApi(settings, flags);
  const spoken = api.speaking(dialectFor(flags, settings.config));
  const voices: Voice[] = [];
  const onIgnored = (filter: 'search' | 'provider'): void => {
    const by = filter === 'search' ? 'name and id' : 'provider';
    output.say(`The API does not filter by --${filter}; these are all of its voices that match by ${by}.`);
  };
  try {
    for await (const voice of spoken.listVoices({ search, provider, onIgnored })) voices.push(voice);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw listUnread(api.baseUrl, error.failure.message, error);
  } finally {
    api.close();
  }
  if (flags.json === true) output.data(JSON.stringify(voices));
  else for (const line of tableLines(VOICE_COLUMNS, voices)) output.data(line);
  return 'complete';
}
