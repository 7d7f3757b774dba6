/** Compares the API's OpenAPI schema with the one seen before, to detect changes of the API (`voxbatch doctor`). */

/** Digests of the parts of each endpoint (`parameters`, `request`, `answer 200` …), by method and path. */
export type SchemaDigests = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Differences between two versions of the schema; endpoints are given by method and path. */
export interface SchemaChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly endpoint: string; readonly parts: readonly string[] }[];
}

/** Compares two versions of the schema. All lists of the result are sorted. */
export function compareSchemas(before: SchemaDigests, now: SchemaDigests): SchemaChanges {
  const onlyIn = (one: SchemaDigests, other: SchemaDigests): string[] =>
    Object.keys(one)
      .filter((endpoint) => !Object.hasOwn(other, endpoint))
      .toSorted();
  const changed = Object.keys(now)
    .filter((endpoint) => Object.hasOwn(before, endpoint))
    .toSorted()
    .flatMap((endpoint) => {
      const [old, current] = [before[endpoint] ?? {}, now[endpoint] ?? {}];
      const names = new Set([...Object.keys(old), ...Object.keys(current)]);
      const parts = [...names].filter((part) => old[part] !== current[part]);
      return parts.length === 0 ? [] : [{ endpoint, parts: parts.toSorted() }];
    });
  return { added: onlyIn(now, before), removed: onlyIn(before, now), changed };
}

/** Whether there are no differences. */
export function isSameSchema({ added, removed, changed }: SchemaChanges): boolean {
  return added.length === 0 && removed.length === 0 && changed.length === 0;
}
