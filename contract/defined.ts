/** Turns members whose values may be undefined into optional members. */
export type Defined<T> = {
  readonly [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & {
  readonly [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/**
 * Returns an object without its `undefined` members. Under `exactOptionalPropertyTypes`, an optional member may be
 * absent, but not `undefined`.
 */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
