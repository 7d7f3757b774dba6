import { printAnswer, type RunContext, type Output } from '../terminal/output.ts';
import {
  accountFunctions,
  isWebAddress,
  type AccountFunctions,
  type ChangedField,
  type FieldResult,
  type ProfileChange,
} from '../../client/account/account-functions.ts';
import { viewChange, viewProfile, withoutPaths, type ProfileView } from '../../client/account/account-view.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Flags } from '../commands/flags.ts';
import { withSession } from '../connect/connect-api.ts';
import { oneLine } from '../terminal/table.ts';
import { number, sentence } from '../terminal/words.ts';
import { usageError } from '../exit-error.ts';

/** `voxbatch profile`: the account of the token, and its balance. Spends nothing. */
export async function profile(flags: Flags, { output }: RunContext): Promise<ExitName> {
  const view = viewProfile(await withSession(flags, (session) => session.api()));
  printAnswer(output, flags, view, () => profileLines(view));
  return 'complete';
}

function profileLines({ userId, tier, apiCredits, websiteCredits, webhook }: ProfileView): readonly string[] {
  const amount = (value: number | null): string => (value === null ? 'unknown' : number(value));
  return [
    `account          ${oneLine(userId)}`,
    `tier             ${oneLine(tier ?? 'unknown')}`,
    `API credits      ${amount(apiCredits)}  (used by batches)`,
    `website credits  ${amount(websiteCredits)}`,
    ...(webhook === undefined ? [] : [`webhook          ${oneLine(webhook ?? 'none')}`]),
  ];
}

/** `voxbatch profile set FIELD=VALUE…`: asks the API to change fields of the profile. Spends nothing. */
export async function setProfile(words: readonly string[], flags: Flags, { output }: RunContext): Promise<ExitName> {
  const fields = readFields(words);
  return change(flags, output, (account) => account.setProfile(fields));
}

/** `voxbatch profile set-webhook URL`, or `--clear` instead of the URL. Spends nothing. */
export async function setWebhook(url: string | undefined, flags: Flags, { output }: RunContext): Promise<ExitName> {
  const isClear = flags.clear === true;
  if (isClear === (url !== undefined)) throw usageError('Give either a URL or --clear.');
  if (url !== undefined && !isWebAddress(url)) {
    throw usageError('The webhook is not an http or https URL. Give an address such as https://example.com/hooks.');
  }
  return change(flags, output, (account) => account.setWebhook(url ?? null));
}

/** Makes a change, prints what became of each field, and returns the exit code. */
async function change(
  flags: Flags,
  output: Output,
  makeChange: (account: AccountFunctions) => Promise<ProfileChange>,
): Promise<ExitName> {
  const changed = await withSession(flags, (session) => makeChange(accountFunctions(session)));
  const { fields, failure } = changed;
  printAnswer(output, flags, viewChange(changed), () =>
    fields.map((field) => `${oneLine(field.name)}: ${fieldWords(field)}`),
  );
  if (failure !== undefined) output.say(sentence(failure.message));
  if (fields.some(({ result }) => result === 'refused'))
    output.say('See what the profile shows: voxbatch profile. The API decides which values it takes.');
  output.say('Nothing was spent.');
  return failure?.class === 'BadToken' ? 'api' : exitOf(fields.map(({ result }) => result));
}

/** Describes what became of a field. */
function fieldWords({ name, wanted, result, shown }: ChangedField): string {
  const now = shown === undefined ? '' : ` The profile shows ${asText(shown)}.`;
  const isCleared = name === 'webhookUrl' && (wanted === null || wanted === '');
  switch (result) {
    case 'set':
      return isCleared ? 'taken away; the profile shows none.' : `set to ${asText(wanted)}; the profile shows it.`;
    case 'ignored':
      return `not set. The API accepted the request but ignored the field.${now}`;
    case 'unseen':
      return (
        'unknown. The API accepted the request, and the profile does not show this field, so nobody can tell whether it was ' +
        `${isCleared ? 'taken away' : 'set'} or ignored.`
      );
    case 'refused':
      return `not set. The API refused it.${now}`;
    case 'not-set':
      return `not set. There was no usable answer.${now} Run the same command again.`;
    case 'lost':
      return 'unknown. There was no usable answer, and the profile does not show this field. Run the same command again.';
  }
}

/** Formats a value of the profile as JSON; URLs without their paths, which may be secrets. */
function asText(value: unknown): string {
  return oneLine(JSON.stringify(withoutPaths(value)));
}

function exitOf(results: readonly FieldResult[]): ExitName {
  if (results.some((result) => result === 'lost' || result === 'unseen')) return 'unknown';
  return results.every((result) => result === 'set') ? 'complete' : 'failures';
}

/** A field name that the profile can have. */
const FIELD_NAME = /^[A-Za-z_][\w.-]{0,63}$/;

/**
 * Parses `FIELD=VALUE` words. A JSON value (`true`, `null`, a number, an object, a list, or a quoted string) is sent as
 * such, any other as a string. A number that JSON would alter (`007`, `1e999`, 20 digits) is sent as a string. Throws
 * {@link ExitError} `usage`.
 */
function readFields(words: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(0, at));
    if (!FIELD_NAME.test(name)) throw usageError(`${word.slice(0, 80)}: expected FIELD=VALUE, as in newsletter=true.`);
    if (Object.hasOwn(fields, name)) throw usageError(`${name} is given twice.`);
    fields[name] = readValue(word.slice(at + 1));
  }
  return fields;
}

/** Parses a value as {@link readFields} does. */
export function readValue(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  return typeof value === 'number' && String(value) !== text.trim() ? text : value;
}
