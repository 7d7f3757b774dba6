/**
 * A view for `--json`: member names become snake_case at every depth. Names that users gave are data and stay
 * unchanged, so objects keyed by them must be `Map`s in the view; whoever makes the view's schema checks this.
 */
export function snakeCase(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(snakeCase);
  const isData = value instanceof Map;
  const members: readonly (readonly [string, unknown])[] = isData ? [...value] : Object.entries(value);
  return Object.fromEntries(members.map(([name, member]) => [isData ? name : snakeName(name), snakeCase(member)]));
}

/** `pollRate` as `poll_rate`. */
export function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
