/** Typical names of secrets. */
export const SECRET_NAME = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE|SIGNING|ENCRYPTION)_?KEY/i;

/** Tells a child process that it receives our secrets as one JSON object on stdin. */
export const HANDED_OVER = 'VOXBATCH_SECRETS_ON_STDIN';

/**
 * Whether a variable holds one of our secrets, by its name: the token or its location, the signing key for our
 * messages, another webhook's address, or any Temporal setting. User commands never receive these.
 */
export function isOwnSecret(name: string): boolean {
  if (/^TEMPORAL_/i.test(name)) return true;
  return /^VOXBATCH_/i.test(name) && (SECRET_NAME.test(name) || /WEBHOOK_RESTORE$/i.test(name));
}
