/**
 * Converts a view for `--json`: member names become snake_case at every depth. A view holds a `Map` where keys are
 * data, such as names that users gave; these become objects with unchanged keys.
 */
export function snakeCase(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(snakeCase);
  const isData = value instanceof Map;
  const members: readonly (readonly [string, unknown])[] = isData ? [...value] : Object.entries(value);
  return Object.fromEntries(members.map(([name, member]) => [isData ? name : snakeName(name), snakeCase(member)]));
}

/** Converts `pollRate` to `poll_rate`. */
export function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
