import { InvalidArgumentError, Option, type Command } from 'commander';
import { TUNABLE_NAMES, TUNABLES, tuningOf, type TunableName, type Tuning } from '../../contract/tunables.ts';
import { expectedOf, parseValue, type AnyValue, type ValueKind } from '../../contract/value-kinds.ts';
import { usageError } from '../exit-error.ts';
import { flagOf, helpOf } from '../terminal/tunable-words.ts';

/** Flags of the tunables, each checked and kept as typed. Flags that were not given are absent. */
export type TuningFlags = { readonly [N in Exclude<TunableName, 'cache'>]?: string } & CacheFlags;

/** The ways to say `cache`. */
interface CacheFlags {
  /** False: `--no-cache`. */
  readonly cache?: string | false;
  readonly fresh?: boolean;
  readonly cachedOnly?: boolean;
}

/**
 * Adds the flags of {@link TuningFlags}, or some. None has a default here, so that given flags can be told from the
 * others.
 */
export function addTuningFlags(command: Command, names: readonly TunableName[] = TUNABLE_NAMES): Command {
  for (const name of names) {
    const { takes } = TUNABLES[name];
    const option = new Option(`${flagOf(name)} <${placeholderOf(takes)}>`, helpOf(name));
    if (takes.type === 'choice') option.choices(takes.words);
    else
      option.argParser((text) => {
        read(takes, text);
        return text;
      });
    command.addOption(option);
  }
  if (names.includes('cache')) {
    command
      .option('--no-cache', 'The same as --cache off')
      .option('--fresh', 'The same as --cache fresh')
      .option('--cached-only', 'The same as --cache only');
  }
  return command;
}

/** Reads the given flags, and nothing else. */
export function readTuning(flags: TuningFlags): Tuning {
  const given = TUNABLE_NAMES.flatMap((name) => {
    const text = name === 'cache' ? cacheOf(flags) : flags[name];
    return text === undefined ? [] : [[name, read(TUNABLES[name].takes, text)] as const];
  });
  return tuningOf(Object.fromEntries(given));
}

/** What was said of the cache in one way or another. */
function cacheOf({ cache, fresh = false, cachedOnly = false }: CacheFlags): string | undefined {
  const said = [
    ...(cache === undefined ? [] : [cache === false ? 'off' : cache]),
    ...(fresh ? ['fresh'] : []),
    ...(cachedOnly ? ['only'] : []),
  ];
  if (said.length > 1) {
    throw usageError('Expected only one of --cache, --no-cache, --fresh and --cached-only.');
  }
  return said[0];
}

function read(takes: ValueKind, text: string): AnyValue {
  const value = parseValue(takes, text);
  if (value === undefined) throw new InvalidArgumentError(`expected ${expectedOf(takes)}.`);
  return value;
}

function placeholderOf({ type: kind }: ValueKind): string {
  if (kind === 'credits') return 'credits';
  if (kind === 'command' || kind === 'url') return kind;
  return kind === 'count' || kind === 'rate' ? 'n' : 'policy';
}
