import type { ReadFlags } from '../commands/read-flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { withoutPath } from '../../contract/url-scheme.ts';
import {
  changeProfile,
  clearWebhook,
  type ChangedField,
  type FieldResult,
  type ProfileChange,
} from '../../client/account/change-profile.ts';
import { isWebAddress } from '../../client/account/account-functions.ts';
import type { OpenApi } from '../../client/open-api.ts';
import { openApi } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import { usageError } from '../exit-error.ts';
import type { Output } from '../terminal/output.ts';
import { sentence } from '../terminal/words.ts';
import { oneLine } from '../terminal/table.ts';
import { readFields } from './field-values.ts';

/** `voxbatch profile set FIELD=VALUE…`: asks the API to change fields of the profile. Spends nothing. */
export async function setProfile(words: readonly string[], flags: ReadFlags, output: Output): Promise<ExitName> {
  const fields = readFields(words);
  return change(flags, output, (open) => changeProfile(open, fields));
}

/** `voxbatch profile set-webhook URL`, or `--clear` instead of the URL. Spends nothing. */
export async function setWebhook(
  url: string | undefined,
  flags: ReadFlags & { readonly clear?: boolean },
  output: Output,
): Promise<ExitName> {
  const isClear = flags.clear === true;
  if (isClear === (url !== undefined)) throw usageError('Give either a URL or --clear.');
  if (url === undefined) return change(flags, output, clearWebhook);
  if (!isWebAddress(url)) {
    throw usageError('The webhook is not an http or https URL. Give an address such as https://example.com/hooks.');
  }
  return change(flags, output, (open) => changeProfile(open, { webhookUrl: url }));
}

async function change(
  flags: ReadFlags,
  output: Output,
  act: (open: OpenApi) => Promise<ProfileChange>,
): Promise<ExitName> {
  const open = await openApi(await readSettings(), flags);
  const { fields, failure } = await act(open).finally(() => {
    open.api.close();
  });
  if (flags.json === true) {
    const shown = fields.map(({ name, result, shown: now }) => ({
      field: name,
      result,
      ...(now === undefined ? {} : { value: withoutPaths(now) }),
    }));
    output.data(JSON.stringify({ fields: shown, message: failure?.message ?? null }));
  } else for (const field of fields) output.data(`${oneLine(field.name)}: ${wordsOf(field)}`);
  if (failure !== undefined) output.say(sentence(failure.message));
  if (fields.some(({ result }) => result === 'refused'))
    output.say('See what the profile shows: voxbatch profile. The API decides which values it takes.');
  output.say('Nothing was spent.');
  return failure?.class === 'BadToken' ? 'api' : exitOf(fields.map(({ result }) => result));
}

/** What to say of a field. */
function wordsOf({ name, wanted, result, shown }: ChangedField): string {
  const now = shown === undefined ? '' : `The profile shows ${asText(shown)}.`;
  const isCleared = name === 'webhookUrl' && (wanted === null || wanted === '');
  switch (result) {
    case 'set':
      return isCleared ? 'taken away; the profile shows none.' : `set to ${asText(wanted)}; the profile shows it.`;
    case 'ignored':
      return `not set. The API accepted the request but ignored the field. ${now}`;
    case 'unseen':
      return (
        'unknown. The API accepted the request, and the profile does not show this field, so nobody can tell whether it was ' +
        `${isCleared ? 'taken away' : 'set'} or ignored.`
      );
    case 'refused':
      return `not set. The API refused it. ${now}`.trimEnd();
    case 'not-set':
      return `not set. There was no usable answer. ${now} Run the same command again.`;
    case 'lost':
      return 'unknown. There was no usable answer, and the profile does not show this field. Run the same command again.';
  }
}

function asText(value: unknown): string {
  return oneLine(JSON.stringify(withoutPaths(value)));
}

/** The value as people may see it: the path of an address may be a secret. */
function withoutPaths(value: unknown): unknown {
  return typeof value === 'string' && /^https?:/i.test(value) ? withoutPath(value) : value;
}

function exitOf(results: readonly FieldResult[]): ExitName {
  if (results.some((result) => result === 'lost' || result === 'unseen')) return 'unknown';
  return results.every((result) => result === 'set') ? 'complete' : 'failures';
}
