import type { Config } from './config-file.ts';

/**
 * Config members that a user must confirm once per folder: each can run a command, name an address or location, or
 * cause more spending than the bill and budget that the user agreed to. `docs/decisions/confirmation.md` gives the
 * reason for each, and for those left out.
 */
const CONFIRMED = [
  'onEnd',
  'notify',
  'store',
  'serveMedia',
  'serveMediaUrl',
  'prices',
  'operations',
  'assumeSeconds',
  'onUnknown',
  'retakes',
  'trust503',
] as const satisfies readonly (keyof Config)[];

/** The config members that must be confirmed; null counts as absent. */
export type ConfirmedMembers = Pick<Config, (typeof CONFIRMED)[number]>;

/** The members of this config that must be confirmed. */
export function membersToConfirm(config: Config): ConfirmedMembers {
  return Object.fromEntries(
    CONFIRMED.flatMap((name) => ((config[name] ?? null) === null ? [] : [[name, config[name]]])),
  );
}

/** The config without them, safe to use before confirmation. */
export function withoutConfirmed(config: Config): Config {
  const risky: readonly string[] = CONFIRMED;
  return Object.fromEntries(Object.entries(config).filter(([name]) => !risky.includes(name)));
}
