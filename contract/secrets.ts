import { urlSchemeOf, withoutSecrets } from './urls.ts';

/** Typical names of secrets. */
export const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|PAYLOAD)_?KEY/i;

/** Tells a child process that it receives our secrets as one JSON object on stdin. */
export const SECRETS_ON_STDIN = 'VOXBATCH_SECRETS_ON_STDIN';

/**
 * Whether a variable holds one of our secrets: the token, the keys of payloads or the location of either, the signing
 * key for our messages, another webhook's address, any Temporal setting, or an address with a password, such as the
 * ledger's. User commands never receive these.
 */
export function isOwnSecret(name: string, value = ''): boolean {
  if (/^TEMPORAL_/i.test(name)) return true;
  return isOurs(name) && (SECRET_NAME.test(name) || /WEBHOOK_RESTORE$/i.test(name) || hasPassword(value));
}

/**
 * What a user's command gets of an environment, as a shell would pass it on: all except our secrets. It may need other
 * programs' secrets, and the places used by `voxbatch` commands that it runs: an address stays, without its password.
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

/** Parameters of a database's address that hold a password. */
const PASSWORDS = ['password', 'sslpassword'];

/** Whether a URL holds a password. */
function hasPassword(place: string): boolean {
  return withoutPassword(place) !== place;
}

/** A URL without its password, with which it can still be used by whoever has that from elsewhere. */
function withoutPassword(place: string): string {
  if (urlSchemeOf(place) === undefined) return place;
  if (!URL.canParse(place)) return withoutSecrets(place);
  const url = new URL(place);
  if (url.password === '' && !PASSWORDS.some((name) => url.searchParams.has(name))) return place;
  url.password = '';
  for (const name of PASSWORDS) url.searchParams.delete(name);
  return url.href;
}

/** Shows only scheme and host of an address whose path may be secret, such as a webhook: `https://host/…`. */
export function withoutPath(address: string): string {
  if (!URL.canParse(address)) return '…';
  const { origin, pathname, search } = new URL(address);
  return pathname.length + search.length > 1 ? `${origin}/…` : origin;
}
