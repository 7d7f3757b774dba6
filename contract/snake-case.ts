/** What JSON has as it is; a date becomes its ISO time. */
type Plain = string | number | boolean | bigint | Date | null | undefined;

type SnakeName<K extends string> = K extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : K;

/** A view as programs read it: its members in snake_case, the keys of its maps as they are. */
export type SnakeCased<T> = T extends Plain
  ? T
  : T extends ReadonlyMap<string, infer V>
    ? Readonly<Record<string, SnakeCased<V>>>
    : T extends readonly (infer E)[]
      ? readonly SnakeCased<E>[]
      : { readonly [K in keyof T as K extends string ? SnakeName<K> : never]: SnakeCased<T[K]> };

/** True if keys of an object in it are not known to the compiler, so they are data: ids, columns, names. */
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
 * A view for `--json`: the names of its members become snake_case, at every depth. What a person has named is data and stays as it is, so an
 * object that has such keys must be a `Map` in the view, which the compiler checks.
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
