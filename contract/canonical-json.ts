/** JSON in which the members of objects are in order of their names: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const names = Object.keys(member);
    if (isSorted(names)) return member;
    // Without a prototype, a member of the name `__proto__` is one like the others.
    const sorted = Object.create(null) as Record<string, unknown>;
    for (const name of names.sort()) sorted[name] = (member as Readonly<Record<string, unknown>>)[name];
    return sorted;
  });
}

function isSorted(names: readonly string[]): boolean {
  return names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name);
}
