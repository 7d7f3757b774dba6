/** A value as the other side reads it from JSON. */
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

/** A view as an answer: the compiler compares what it becomes as JSON with what the browser expects. */
export function wire<T>(view: T): Wire<T> {
  return view as Wire<T>;
}

/** A view as JSON. Maps are objects whose names are data. */
export function toJson(view: unknown): string {
  return JSON.stringify(view, (_, value: unknown) =>
    value instanceof Map ? (Object.fromEntries(value) as unknown) : value,
  );
}
