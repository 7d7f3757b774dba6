import { urlSchemeOf, withoutSecrets } from './urls.ts';

/** The environment variables of voxbatch, and which of them are secrets that child processes do not get. */

/** All environment variables of voxbatch that users set; `docs/guide/config.md` explains each. */
export const OWN_VARIABLES: readonly string[] = [
  ...['VOXBATCH_API_URL', 'VOXBATCH_API_TOKEN', 'VOXBATCH_API_TOKEN_FILE'],
  ...['VOXBATCH_HOME', 'VOXBATCH_LEDGER', 'VOXBATCH_STORE', 'VOXBATCH_CONFIG', 'VOXBATCH_OPERATOR'],
  ...['VOXBATCH_SERVE_MEDIA', 'VOXBATCH_SERVE_MEDIA_URL', 'VOXBATCH_NOTIFY_SECRET', 'VOXBATCH_WEBHOOK_RESTORE'],
  ...['VOXBATCH_PAYLOAD_KEYS', 'VOXBATCH_PAYLOAD_KEYS_FILE', 'VOXBATCH_CODEC_TOKEN'],
  ...['VOXBATCH_TEMPORAL_CLI', 'VOXBATCH_FFMPEG'],
];

/** Typical names of environment variables that hold secrets. */
export const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|PAYLOAD)_?KEY/i;

/** Environment variable that tells a child process of ours to read its secrets as one JSON object from stdin. */
export const SECRETS_ON_STDIN = 'VOXBATCH_SECRETS_ON_STDIN';

/**
 * Whether an environment variable holds one of our secrets, which a user's command never receives: the token, payload
 * keys, the file of either, the signing key of hooks, a webhook address, any Temporal setting, or an address with a
 * password, such as the ledger's.
 */
export function isOwnSecret(name: string, value = ''): boolean {
  if (/^TEMPORAL_/i.test(name)) return true;
  return isOurs(name) && (SECRET_NAME.test(name) || /WEBHOOK_RESTORE$/i.test(name) || hasPassword(value));
}

/**
 * Returns the environment for a user's command (a hook): everything except our secrets. Other programs' secrets stay.
 * Addresses stay without their passwords, because the command may call `voxbatch` itself.
 */
export function environmentForUser(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value = '']) => {
      if (!isOwnSecret(name, value)) return [[name, value]];
      return isOwnSecret(name) ? [] : [[name, withoutPassword(value)]];
    }),
  );
}

function isOurs(name: string): boolean {
  return /^VOXBATCH_/i.test(name);
}

/** Query parameters of a database URL that hold a password. */
const PASSWORDS = ['password', 'sslpassword'];

/** Whether a URL holds a password. */
function hasPassword(place: string): boolean {
  return withoutPassword(place) !== place;
}

/** Returns a URL without its password, still usable with a password from elsewhere (`PGPASSWORD`). */
function withoutPassword(place: string): string {
  if (urlSchemeOf(place) === undefined) return place;
  if (!URL.canParse(place)) return withoutSecrets(place);
  const url = new URL(place);
  if (url.password === '' && !PASSWORDS.some((name) => url.searchParams.has(name))) return place;
  url.password = '';
  for (const name of PASSWORDS) url.searchParams.delete(name);
  return url.href;
}
