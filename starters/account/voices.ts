import { ApiError, type Voice } from '../../api/speech-api.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { ExitError } from '../exit-error.ts';
import { openApi } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';
import { tableLines } from '../terminal/table.ts';

export interface VoicesFlags {
  readonly search?: string;
  readonly json?: boolean;
  readonly apiUrl?: string;
}

/** `voxbatch voices list`: the voices that the account can use. Spends nothing. */
export async function listVoices(flags: VoicesFlags, output: Output): Promise<ExitName> {
  const { api } = await openApi(await readSettings(), flags);
  const voices: Voice[] = [];
  try {
    for await (const voice of api.listVoices({ search: flags.search })) voices.push(voice);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = `The API at ${api.baseUrl} does not list its voices: ${error.failure.message} Try again later. Nothing was spent.`;
    throw new ExitError('api', message, { cause: error });
  } finally {
    api.close();
  }
  if (flags.json === true) output.data(JSON.stringify(voices));
  else for (const line of tableLines(COLUMNS, voices)) output.data(line);
  return 'complete';
}

const COLUMNS = [
  { title: 'voice', value: ({ id }: Voice) => id },
  { title: 'name', value: ({ name }: Voice) => name },
  { title: 'provider', value: ({ provider }: Voice) => provider },
] as const;
