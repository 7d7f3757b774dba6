import { usageError } from '../exit-error.ts';

/** Names that a member of the profile can have. */
const NAME = /^[A-Za-z_][\w.-]{0,63}$/;

/**
 * Reads `FIELD=VALUE` words. A value that is JSON (`true`, `null`, a number, an object, a list, or a text in quotes) is
 * sent as that, any other one as a text. A number that JSON would change (`007`, `1e999`, 20 digits) is a text. Throws
 * {@link ExitError} `usage`.
 */
export function readFields(words: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(0, at));
    if (!NAME.test(name)) throw usageError(`${word.slice(0, 80)}: expected FIELD=VALUE, as in newsletter=true.`);
    if (Object.hasOwn(fields, name)) throw usageError(`${name} is given twice.`);
    fields[name] = readValue(word.slice(at + 1));
  }
  return fields;
}

/** A value by the rule of {@link readFields}. */
export function readValue(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  return typeof value === 'number' && String(value) !== text.trim() ? text : value;
}
