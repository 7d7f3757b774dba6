import type { Credentials, CredentialSource } from './credentials.ts';

/** Shortest time between two renewals, ms: each may ask a service, or run a program. */
const RENEW_EVERY_MS = 60_000;

/**
 * Credentials for a URL, which ends with the session that it is signed in: a session that ends before this time is
 * renewed first. If it was renewed a moment ago, or cannot be now, it lasts no longer.
 */
export function lastingCredentials(source: CredentialSource): (until: number) => Promise<Credentials> {
  let renewing: Promise<Credentials> | undefined;
  let renewedAt = -Infinity;
  return async (until) => {
    const known = await source();
    if (known.expiration === undefined || known.expiration.getTime() >= until) return known;
    if (renewing === undefined && performance.now() - renewedAt < RENEW_EVERY_MS) return known;
    renewing ??= source(true).finally(() => {
      renewedAt = performance.now();
      renewing = undefined;
    });
    return renewing.catch(() => known);
  };
}
