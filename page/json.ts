/** The type of a value after a round trip through JSON: dates become strings, maps become objects. */
export type Wire<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends Date
    ? string
    : T extends ReadonlyMap<string, infer V>
      ? Readonly<Record<string, Wire<V>>>
      : T extends readonly (infer E)[]
        ? readonly Wire<E>[]
        : T extends object
          ? { readonly [Name in keyof T]: Wire<T[Name]> }
          : T;

/**
 * Returns `view` typed as what the browser reads, so that the compiler checks a server view against an answer of
 * `protocol.ts`. The value itself changes only in {@link toJson}.
 */
export function wire<T>(view: T): Wire<T> {
  return view as Wire<T>;
}

/** Returns a view as JSON, maps as objects. */
export function toJson(view: unknown): string {
  return JSON.stringify(view, (_, value: unknown) =>
    value instanceof Map ? (Object.fromEntries(value) as unknown) : value,
  );
}
