/** Digests of the parts of each endpoint (`parameters`, `request`, `answer 200` …), by method and path. */
export type SchemaDigests = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What differs between two looks at a schema. */
export interface SchemaChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly endpoint: string; readonly parts: readonly string[] }[];
}

/** Compares two looks at a schema. Everything is in order of its name. */
export function compareSchemas(before: SchemaDigests, now: SchemaDigests): SchemaChanges {
  const onlyIn = (one: SchemaDigests, other: SchemaDigests): string[] =>
    Object.keys(one)
      .filter((endpoint) => !Object.hasOwn(other, endpoint))
      .toSorted();
  const changed = Object.keys(now)
    .filter((endpoint) => Object.hasOwn(before, endpoint))
    .toSorted()
    .flatMap((endpoint) => {
      const [old, own] = [before[endpoint] ?? {}, now[endpoint] ?? {}];
      const parts = [...new Set([...Object.keys(old), ...Object.keys(own)])].filter((part) => old[part] !== own[part]);
      return parts.length === 0 ? [] : [{ endpoint, parts: parts.toSorted() }];
    });
  return { added: onlyIn(now, before), removed: onlyIn(before, now), changed };
}

/** Whether nothing differs. */
export function isSameSchema({ added, removed, changed }: SchemaChanges): boolean {
  return added.length === 0 && removed.length === 0 && changed.length === 0;
}
