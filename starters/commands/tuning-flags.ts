import { InvalidArgumentError } from 'commander';
import { TUNABLE_NAMES, TUNABLES, tuningOf, type TunableName, type Tuning } from '../../contract/tunables.ts';
import { expectedOf, parseValue, type AnyValue, type ValueKind } from '../../contract/value-kinds.ts';
import { usageError } from '../exit-error.ts';
import { flagOf, helpOf } from '../terminal/tunable-words.ts';
import type { Flag } from './flag-values.ts';

/** Flags of the tunables, each checked and kept as typed. Flags that were not given are absent. */
export type TuningFlags = { readonly [N in Exclude<TunableName, 'cache'>]?: string } & CacheFlags;

/** The ways to say `cache`. */
interface CacheFlags {
  /** False: `--no-cache`. */
  readonly cache?: string | false;
  readonly fresh?: boolean;
  readonly cachedOnly?: boolean;
}

const PLACEHOLDERS: Readonly<Partial<Record<ValueKind['type'], string>>> = {
  credits: 'credits',
  command: 'command',
  url: 'url',
  count: 'n',
  rate: 'n',
};

/** The flags of {@link TuningFlags}. */
export const TUNING = {
  ...(Object.fromEntries(
    TUNABLE_NAMES.map((name): readonly [string, Flag] => {
      const { takes } = TUNABLES[name];
      const keep = (text: string): string => {
        read(takes, text);
        return text;
      };
      const flag = `${flagOf(name)} <${PLACEHOLDERS[takes.type] ?? 'policy'}>`;
      return [name, [flag, helpOf(name), takes.type === 'choice' ? takes.words : keep]];
    }),
  ) as Record<TunableName, Flag>),
  noCache: ['--no-cache', 'The same as --cache off'],
  fresh: ['--fresh', 'The same as --cache fresh'],
  cachedOnly: ['--cached-only', 'The same as --cache only'],
} as const satisfies Readonly<Record<string, Flag>>;

/** Reads the given flags, and nothing else. */
export function readTuning(flags: TuningFlags): Tuning {
  const given = TUNABLE_NAMES.flatMap((name) => {
    const text = name === 'cache' ? cacheOf(flags) : flags[name];
    return text === undefined ? [] : [[name, read(TUNABLES[name].takes, text)] as const];
  });
  return tuningOf(Object.fromEntries(given));
}

/** What was said of the cache in one way or another. */
function cacheOf({ cache, fresh, cachedOnly }: CacheFlags): string | undefined {
  const said = [cache === false ? 'off' : cache, fresh && 'fresh', cachedOnly && 'only'].filter(
    (one) => typeof one === 'string',
  );
  if (said.length > 1) throw usageError('Expected only one of --cache, --no-cache, --fresh and --cached-only.');
  return said[0];
}

function read(takes: ValueKind, text: string): AnyValue {
  const value = parseValue(takes, text);
  if (value === undefined) throw new InvalidArgumentError(`expected ${expectedOf(takes)}.`);
  return value;
}
