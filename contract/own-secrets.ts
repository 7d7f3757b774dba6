/** What programs call their secrets. */
export const SECRET_NAME = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE|SIGNING|ENCRYPTION)_?KEY/i;

/** Tells a process that we start: our secrets come to it as one JSON object on stdin. */
export const HANDED_OVER = 'VOXBATCH_SECRETS_ON_STDIN';

/**
 * Whether a variable is a secret of ours, by its name: the token and where it is, what signs our messages, the address of
 * another webhook, and all that leads to a Temporal cluster. No command of the user's is given one.
 */
export function isOwnSecret(name: string): boolean {
  if (/^TEMPORAL_/i.test(name)) return true;
  return /^VOXBATCH_/i.test(name) && (SECRET_NAME.test(name) || /WEBHOOK_RESTORE$/i.test(name));
}
