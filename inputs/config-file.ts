import { messageOf } from '../contract/message-of.ts';
import * as z from 'zod';
import { MAX_RESULT_MEMBERS, RESULT_MEMBER, RESULT_MEMBER_FORM } from '../contract/result-member.ts';
import { DIALECT_CHOICE, DIALECT_FORMS } from '../contract/dialects.ts';
import { HALT_FORMS, parseHalt } from '../contract/halt.ts';
import { POLLING, type Polling } from '../contract/polling-settings.ts';
import { REPORT_CHOICES } from '../contract/report.ts';
import { OPERATIONS } from '../contract/row-kinds.ts';
import {
  LIMIT_NAMES,
  POLICY_NAMES,
  TUNABLES,
  type LimitName,
  type PolicyName,
  type TunableValues,
} from '../contract/tunables.ts';
import { isLinkBase, isListenAddress, SERVE_MEDIA_FORM, SERVE_MEDIA_URL_FORM } from '../contract/serve-media.ts';
import { expectedOf, isPlainUrl, type ValueKind } from '../contract/value-kinds.ts';
import { nameIn, OWN_OPERATIONS, PRICE_MEMBERS } from './own-operations/own-operation-schema.ts';
import { show } from '../contract/manifest-problems.ts';
import { whyBadPath } from './output-name.ts';
import { readRegular } from './regular-file.ts';
import { isTooDeep, inspectJson, TOO_DEEP } from '../contract/exact-json.ts';
import { findFinishingFault, FINISHED_FORMATS } from '../contract/finishing.ts';

const POLLING_NAMES = Object.keys(POLLING) as readonly (keyof Polling)[];

/** Finishing settings in the config file and in a schedule's record. */
export const FINISHING = z
  .strictObject({
    loudness: z.number().exactOptional(),
    trimSilence: z.boolean().exactOptional(),
    sampleRate: z.number().exactOptional(),
    format: z.enum(FINISHED_FORMATS).exactOptional(),
  })
  .superRefine((given, context) => {
    const fault = findFinishingFault(given);
    if (fault === undefined) return;
    const { option, expected } = fault;
    context.addIssue({ code: 'custom', path: [option], message: `expected ${expected}`, input: given[option] });
  });

/** A relative path that does not leave the folder, because a configuration may come from somebody else. */
const INNER_FILE = z
  .string()
  .refine((path) => whyBadPath(path) === undefined, { message: 'expected a file in this folder or below' });

/**
 * How manifests are read: for all of them, or, below `manifests`, for one. Null turns a setting for all off for one
 * manifest.
 */
const MANIFEST_MEMBERS = {
  map: z.record(z.string(), z.string().min(1)).exactOptional(),
  fileName: z.string().min(1).nullable().exactOptional(),
  join: z
    .union([z.string().min(1), z.strictObject({ column: z.string().min(1), pause: z.number().min(0).max(600) })])
    .nullable()
    .exactOptional(),
  voice: z.string().min(1).nullable().exactOptional(),
  cast: INNER_FILE.nullable().exactOptional(),
};

/** A price as a user writes it. */
const PRICE = z
  .strictObject(PRICE_MEMBERS)
  .refine((price) => price.cjkFactor === undefined || price.unit === 'character', {
    path: ['cjkFactor'],
    message: 'expected only with the unit "character"',
  })
  // A price set by the user is exact, not our estimate.
  .transform((price) => ({ ...price, estimate: false }));

/** When a batch halts, such as `10%`. */
const HALT = z.string().transform((text, context) => {
  const policy = parseHalt(text);
  if (policy !== undefined) return policy;
  context.issues.push({ code: 'custom', message: `expected ${HALT_FORMS}`, input: text });
  return z.NEVER;
});

// Where the API puts the link to a result.
const EXPECTS_MEMBER = { message: `expected ${RESULT_MEMBER_FORM}` };
const RESULT_PATH = z.string().regex(RESULT_MEMBER, EXPECTS_MEMBER);
const RESULT_PATHS = z.array(RESULT_PATH).min(1, EXPECTS_MEMBER).max(MAX_RESULT_MEMBERS, EXPECTS_MEMBER);

/** Returns how a value is written in JSON: as on the command line, but numbers as numbers, and null for "none". */
function schemaOf(takes: ValueKind): z.ZodType {
  switch (takes.type) {
    case 'count':
      return z.int().min(takes.least).max(takes.most);
    case 'rate':
    case 'credits':
      return z.number().positive().nullable();
    case 'duration':
      return takes.unit === 'ms' ? z.int().min(takes.least) : z.number().positive();
    case 'choice':
      return z.enum(takes.words);
    case 'halt':
      return HALT;
    case 'command':
      return z.string().trim().min(1).nullable();
    case 'url':
      return z
        .string()
        .refine(isPlainUrl, { message: `expected ${expectedOf(takes)}` })
        .nullable();
  }
}

/** Optional members with these names. */
type Shape<Values, N extends keyof Values> = { [P in N]: z.ZodExactOptional<z.ZodType<Values[P]>> };

/** Returns a schema of optional members for these settings of a table. */
function shapeOf<Values, N extends keyof Values & string>(
  table: Readonly<Record<N, { readonly takes: ValueKind }>>,
  names: readonly N[],
): Shape<Values, N> {
  const shape = names.map((name) => [name, schemaOf(table[name].takes).exactOptional()]);
  return Object.fromEntries(shape) as Shape<Values, N>;
}

/** The schema of the file. {@link Config} explains the members. */
export const configSchema = z
  .strictObject({
    $schema: z.string().exactOptional(),
    api: z.strictObject({ url: z.url({ protocol: /^https?$/ }).exactOptional() }).exactOptional(),
    prices: z.partialRecord(nameIn(OPERATIONS), PRICE).exactOptional(),
    operations: OWN_OPERATIONS.exactOptional(),
    limits: z.strictObject(shapeOf<TunableValues, LimitName>(TUNABLES, LIMIT_NAMES)).exactOptional(),
    polling: z.strictObject(shapeOf<Polling, keyof Polling>(POLLING, POLLING_NAMES)).exactOptional(),
    ...shapeOf<TunableValues, PolicyName>(TUNABLES, POLICY_NAMES),
    apiDialect: z
      .string()
      .regex(DIALECT_CHOICE, { message: `expected ${DIALECT_FORMS}` })
      .exactOptional(),
    confirmAbove: z.number().nonnegative().exactOptional(),
    assumeSeconds: z.number().positive().exactOptional(),
    textLimit: z.int().min(20).exactOptional(),
    finish: FINISHING.exactOptional(),
    ...MANIFEST_MEMBERS,
    manifests: z.record(z.string(), z.strictObject(MANIFEST_MEMBERS)).exactOptional(),
    xlsx: z.boolean().exactOptional(),
    report: z.enum(REPORT_CHOICES, { message: `expected one of ${REPORT_CHOICES.join(', ')}` }).exactOptional(),
    store: z.string().min(1).exactOptional(),
    serveMedia: z
      .string()
      .refine(isListenAddress, { message: `expected ${SERVE_MEDIA_FORM}` })
      .exactOptional(),
    serveMediaUrl: z
      .string()
      .refine(isLinkBase, { message: `expected ${SERVE_MEDIA_URL_FORM}` })
      .exactOptional(),
    samples: z
      .strictObject({
        files: z.int().positive().exactOptional(),
        bytes: z.int().positive().exactOptional(),
        seconds: z.number().positive().exactOptional(),
      })
      .exactOptional(),
    resultMember: z.union([RESULT_PATH, RESULT_PATHS], EXPECTS_MEMBER).exactOptional(),
    trust503: z.boolean().exactOptional(),
  })
  .superRefine(({ prices = {}, operations = [] }, context) => {
    const names: readonly string[] = [...OPERATIONS, ...operations.map(({ name }) => name)];
    for (const name of Object.keys(prices))
      if (!names.includes(name))
        context.addIssue({
          code: 'custom',
          path: ['prices', name],
          message: `expected one of ${names.join(', ')}`,
          input: name,
        });
  });

/**
 * Settings of `voxbatch.config.json`. All are optional; flags and environment variables take precedence.
 *
 * - `$schema`: where the JSON Schema of the file is, for editors.
 * - `api.url`: the API, ends in `/api/open/v1`.
 * - `prices`: replaces the built-in price of an operation as a whole. In credits.
 * - `operations`: paid operations of your own; see `contract/own-operations/own-operation.ts`.
 * - `limits`, `budget`, `halt`, `onUnknown`, `retakes`: see `contract/tunables.ts`.
 * - `polling`: see `contract/polling-settings.ts`.
 * - `apiDialect`: the paths of the API that new batches use; see `contract/dialects.ts`.
 * - `confirmAbove`: requires a confirmation before a batch whose bill exceeds this many credits.
 * - `assumeSeconds`: the length used to price media of unknown length.
 * - `textLimit`: the longest text that the API takes, in characters. Default: as learnt from its refusals.
 * - `finish`: how copies of the speech are finished; see `contract/finishing.ts`.
 * - `map`, `fileName`, `join`, `voice`, `cast`: how all manifests are read; `manifests`: the same by the name of their
 * file; see `batches/manifest-config.ts`.
 * - `xlsx`: whether `results.xlsx` is written with the other files.
 * - `report`: which report is written with them; see `contract/report.ts`.
 * - `resultMember`: where the API puts the link to a job's result, if under a nonstandard name; see
 * `contract/result-member.ts`.
 * - `samples`: limits for voice recordings; see `contract/api-limits.ts`.
 * - `serveMedia`, `serveMediaUrl`: where local `audio` and `video` are handed out; see `contract/serve-media.ts`.
 * - `store`: folder of the media. `trust503`: whether a 503 with the API's own error body means "not accepted".
 */
export type Config = z.infer<typeof configSchema>;

/** The configuration file cannot be used. The message names every field that is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the configuration file. A missing file is an empty configuration. `read` returns its text; the default reads
 * regular files only.
 * @throws ConfigError naming each field that is wrong, and what was expected.
 */
export async function readConfig(path: string, read = readRegular): Promise<Config> {
  let text: string;
  try {
    text = await read(path);
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return {};
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}.`);
  }
  // Decoding turns invalid bytes into this character, which would change names silently.
  if (text.includes('\uFFFD')) throw new ConfigError(`${path} is not UTF-8: save it as UTF-8.`);
  return parseConfig(text.replace(/^\uFEFF/, ''), path);
}

/** Parses the text of a config file. `path` is its name in errors. */
export function parseConfig(text: string, path: string): Config {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the file, which might hold a secret.
    throw new ConfigError(`${path} is not JSON: expected one object such as {"limits":{"rate":5}}.`);
  }
  if (isTooDeep(inspectJson(text))) throw new ConfigError(`${path} has invalid settings: expected ${TOO_DEEP}.`);
  const secret = findSecret(value, []);
  if (secret !== undefined) {
    throw new ConfigError(
      `${path}: ${secret}: expected no token in this file. Set VOXBATCH_API_TOKEN or VOXBATCH_API_TOKEN_FILE ` +
        'in the environment instead. Take it out of the file; if others can read the file, make a new token.',
    );
  }
  const parsed = configSchema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => `  ${describeIssue(issue)}`);
  throw new ConfigError(`${path} has invalid settings:\n${wrong.join('\n')}\n`);
}

/** Describes a fault of the settings in one line for each. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${at === '' ? key : `${at}.${key}`}: unknown setting`).join('\n  ');
  }
  const got = issue.input === undefined ? 'nothing' : showSetting(issue.path[0], issue.input);
  return `${at === '' ? '(the whole file)' : at}: ${issue.message}; got ${got}`;
}

/** Shows a wrong value, but no address: it may hold a password or a key, which cannot be located if it is malformed. */
function showSetting(name: PropertyKey | undefined, value: unknown): string {
  const mayBeAddress = name === undefined || name === 'notify' || name === 'api';
  return mayBeAddress ? `${kindOfValue(value)}, not shown` : show(JSON.stringify(value));
}

function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return value === null ? 'null' : 'an object';
  return `a ${typeof value}`;
}

/** Returns the path of a member that holds a token or a URL with a password; never the value. */
function findSecret(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value === 'string') {
    const holdsOne = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*@/i.test(value) || /^bearer\s/i.test(value);
    return holdsOne ? path.join('.') : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const here = [...path, key];
    if (/token|secret|password|authorization|api.?key|bearer/i.test(key)) return here.join('.');
    const found = findSecret(inner, here);
    if (found !== undefined) return found;
  }
  return undefined;
}
