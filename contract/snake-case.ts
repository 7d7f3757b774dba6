/** Values that JSON represents directly; a date becomes ISO 8601. */
type Plain = string | number | boolean | bigint | Date | null | undefined;

type SnakeName<K extends string> = K extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : K;

/** A view for programs: member names in snake_case, map keys unchanged. */
export type SnakeCased<T> = T extends Plain
  ? T
  : T extends ReadonlyMap<string, infer V>
    ? Readonly<Record<string, SnakeCased<V>>>
    : T extends readonly (infer E)[]
      ? readonly SnakeCased<E>[]
      : { readonly [K in keyof T as K extends string ? SnakeName<K> : never]: SnakeCased<T[K]> };

/** True if some object in it has keys unknown to the compiler, which are therefore data: ids, columns, names. */
type HasDataKeys<T> = T extends Plain
  ? false
  : T extends ReadonlyMap<string, infer V>
    ? HasDataKeys<V>
    : T extends readonly (infer E)[]
      ? HasDataKeys<E>
      : string extends keyof T
        ? true
        : { [K in keyof T]-?: HasDataKeys<T[K]> }[keyof T];

/**
 * A view for `--json`: member names become snake_case at every depth. User-given names are data and stay unchanged, so
 * objects keyed by them must be `Map`s in the view; the compiler checks this.
 */
export function snakeCase<T>(view: true extends HasDataKeys<T> ? ReadonlyMap<string, unknown> : T): SnakeCased<T> {
  return renamed(view) as SnakeCased<T>;
}

function renamed(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(renamed);
  const isData = value instanceof Map;
  const members: readonly (readonly [string, unknown])[] = isData ? [...value] : Object.entries(value);
  return Object.fromEntries(members.map(([name, member]) => [isData ? name : snakeName(name), renamed(member)]));
}

/** `pollRate` as `poll_rate`. */
function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
