/**
 * Reads members of JSON answers tolerantly: the API's answers have several shapes, so each fact is looked for at
 * several places and under several names, and every value is checked.
 */

/** A JSON object as received; its members are unchecked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object (an array is not); undefined otherwise. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/**
 * Parses JSON, with or without a byte order mark. An integer too large for a double becomes a string of its digits,
 * because some services number their jobs that way. Undefined for anything but complete JSON.
 */
export function parseJson(text: string): unknown {
  const bare = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    const value: unknown = JSON.parse(bare);
    // Search only complete JSON: elsewhere, a search for strings could take quadratic time.
    return bare.length <= MAX_LENGTH_WITH_NUMBERS && /\d{16}/.test(bare)
      ? (JSON.parse(withLongNumbersAsTexts(bare)) as unknown)
      : value;
  } catch {
    return undefined;
  }
}

/** Longest answer that is searched for long numbers, in characters: answers that name jobs are shorter. */
const MAX_LENGTH_WITH_NUMBERS = 256 * 1024;

/** Puts quotes around integers that a double cannot hold. */
function withLongNumbersAsTexts(json: string): string {
  // Skip strings: digits in them are not numbers.
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
}

/**
 * Returns the objects that exist at the given places of a body, in order. A place is a path such as `data.task`; the
 * empty path is the body itself.
 */
export function objectsAt(body: unknown, places: readonly string[]): readonly JsonObject[] {
  const objects: JsonObject[] = [];
  for (const place of places) {
    let value: unknown = body;
    for (const name of namesOf(place)) value = member(asObject(value), name);
    const object = asObject(value);
    if (object !== undefined) objects.push(object);
  }
  return objects;
}

/** Cached, because there are few places and every answer is searched for them. */
const NAMES = new Map<string, readonly string[]>();

function namesOf(place: string): readonly string[] {
  let names = NAMES.get(place);
  if (names === undefined) NAMES.set(place, (names = place === '' ? [] : place.split('.')));
  return names;
}

/** Returns the value at a path such as `data.clips.0.href` (numbers are list indexes); undefined if there is none. */
export function valueAt(body: unknown, path: string): unknown {
  return namesOf(path).reduce<unknown>((at, name) => {
    if (!Array.isArray(at)) return member(asObject(at), name);
    const items: readonly unknown[] = at;
    return /^\d{1,6}$/.test(name) ? items[Number(name)] : undefined;
  }, body);
}

/** Reads an own member; inherited ones such as `constructor` are not data. */
export function member(object: JsonObject | undefined, name: string): unknown {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns the first member that `read` accepts: object by object, and within each, name by name. */
export function firstOf<T>(
  objects: readonly JsonObject[],
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const object of objects) {
    for (const name of names) {
      const value = read(member(object, name));
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** Accepts a string that is not blank. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/**
 * Accepts an identifier: a string or integer of at most 200 characters that can be a path segment (not `..`), without
 * NUL, which databases and files do not keep.
 */
export function asId(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : Number.isSafeInteger(value) ? String(value) : '';
  return text === '' || text === '.' || text === '..' || text.length > 200 || text.includes('\0') ? undefined : text;
}

/** Accepts a non-empty list of identifiers. A single invalid member invalidates the list. */
export function asIds(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const ids = value.map(asId);
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

/** Accepts a finite number, or a string with one. */
export function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/**
 * Max plausible charge. A larger figure is not a price, and would make all sums that include it too imprecise to add
 * to.
 */
const MAX_CREDITS = 1e9;

/** Accepts an amount of credits: a number from 0 to {@link MAX_CREDITS}, or a string with one, as in headers. */
export function asCredits(value: unknown): number | undefined {
  const credits = asNumber(value);
  return credits === undefined || credits < 0 || credits > MAX_CREDITS ? undefined : credits;
}

/**
 * Accepts a time in ISO 8601, or in seconds or ms since 1970 (values below 10^11 are seconds: as ms they would be
 * before 1974). Returns ms since 1970.
 */
function asTimeMs(value: unknown): number | undefined {
  const number = asNumber(value);
  if (number !== undefined) return number <= 0 ? undefined : Math.round(number < 1e11 ? number * 1000 : number);
  const text = asText(value);
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  // A time without a zone is UTC: services write UTC, and this machine's zone is irrelevant.
  const zoned = /([zZ]|[+-]\d{2}:?\d{2})$/.test(text) || text.length <= 10 ? text : `${text.replace(' ', 'T')}Z`;
  const at = Date.parse(zoned);
  return Number.isNaN(at) ? undefined : at;
}

/** Where any answer may name a charge: the body or what it wraps. */
const CREDIT_PLACES = [
  '',
  'data',
  'task',
  'record',
  'data.task',
  'data.record',
  'job',
  'data.job',
  'result',
  'data.result',
];

/** Reads the charge that the service reports, in the body or else in the header, in credits. */
export function readCredits(body: unknown, header: string | undefined): number | undefined {
  return firstOf(objectsAt(body, CREDIT_PLACES), ['credits_used', 'creditsUsed'], asCredits) ?? asCredits(header);
}

/** Reads the creation time of a list item, ms since 1970; undefined if it has none. */
export function readCreatedAtMs(objects: readonly JsonObject[]): number | undefined {
  return firstOf(objects, ['created_at', 'createdAt', 'created', 'create_time'], asTimeMs);
}
