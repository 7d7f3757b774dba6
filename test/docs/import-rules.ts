import { createRequire } from 'node:module';

/** A rule of dependency-cruiser, as far as rooms are concerned. */
interface Rule {
  readonly name: string;
  readonly from: { readonly path?: Pattern; readonly pathNot?: Pattern; readonly orphan?: boolean };
  readonly to: {
    readonly path?: Pattern;
    readonly pathNot?: Pattern;
    readonly dependencyTypes?: readonly string[];
    readonly dependencyTypesNot?: readonly string[];
    readonly circular?: boolean;
    readonly couldNotResolve?: boolean;
  };
}
type Pattern = string | readonly string[];

/** What a room may import of another. `files`: only these, by their names. */
export type Permission = 'all' | 'types' | { readonly files: readonly string[] };

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  readonly forbidden: readonly Rule[];
};
/** The rules that say which room may import which. */
const RULES = forbidden.filter(({ from, to }) =>
  [from.orphan, to.circular, to.couldNotResolve, to.dependencyTypes].every((one) => one === undefined),
);
const patternsOf = (pattern: Pattern = []): readonly string[] => [pattern].flat();
const matches = (pattern: Pattern | undefined, path: string): boolean =>
  patternsOf(pattern).some((one) => new RegExp(one).test(path));

/** The rooms that have rules of their own, in the order of the rules. */
export const ROOMS: readonly string[] = [
  ...new Set(
    forbidden.flatMap(({ from }) => patternsOf(from.path).flatMap((path) => /^\^([a-z]+)\/$/.exec(path)?.[1] ?? [])),
  ),
];

/** What the rules let a room import of another; undefined if nothing. */
export function permissionOf(room: string, other: string): Permission | undefined {
  const broken = RULES.filter((rule) => forbids(rule, `${room}/any.ts`, `${other}/any.ts`));
  if (broken.length === 0) return 'all';
  if (broken.every(({ to }) => to.dependencyTypesNot?.includes('type-only') === true)) return 'types';
  const files = broken
    .flatMap(({ to }) => patternsOf(to.pathNot))
    .flatMap((path) => new RegExp(String.raw`^\^${other}/(.+)\[[.]\]ts\$$`).exec(path)?.[1] ?? []);
  return files.length === 0 ? undefined : { files };
}

function forbids({ from, to }: Rule, importer: string, imported: string): boolean {
  const isIn = (side: Rule['from'], path: string): boolean =>
    (side.path === undefined || matches(side.path, path)) && !matches(side.pathNot, path);
  return isIn(from, importer) && isIn(to, imported);
}
