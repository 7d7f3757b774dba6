import type { Config } from './config-file.ts';

/**
 * The members of a folder's config that its user confirms once: each can run a command, name an address or a place, or
 * have more paid than the bill and the budget say that the user agreed to. `docs/decisions/confirmation.md` has the
 * reason for each, and for those that are not here.
 */
const CONFIRMED = [
  'onEnd',
  'notify',
  'store',
  'prices',
  'operations',
  'assumeSeconds',
  'onUnknown',
  'retakes',
  'trust503',
] as const satisfies readonly (keyof Config)[];

/** Members of a config that have to be confirmed; null is none. */
export type ConfirmedMembers = Pick<Config, (typeof CONFIRMED)[number]>;

/** Those members of a config that have to be confirmed. */
export function membersToConfirm(config: Config): ConfirmedMembers {
  return Object.fromEntries(
    CONFIRMED.flatMap((name) => ((config[name] ?? null) === null ? [] : [[name, config[name]]])),
  );
}

/** The config without them: what may be used before they are confirmed. */
export function withoutConfirmed(config: Config): Config {
  const risky: readonly string[] = CONFIRMED;
  return Object.fromEntries(Object.entries(config).filter(([name]) => !risky.includes(name)));
}
