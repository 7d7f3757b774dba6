/** AWS credentials, in the form that the signer takes. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/**
 * Returns the present credentials, or new ones with `renew`, after S3 refused them as expired. Rejects if there are
 * none.
 */
export type CredentialSource = (renew?: boolean) => Promise<Credentials>;

/**
 * Finds credentials as AWS's own tools do: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, with `AWS_SESSION_TOKEN`
 * and `AWS_CREDENTIAL_EXPIRATION`; otherwise, or with `AWS_PROFILE`, profile (keys, sign-in, role, program), web
 * identity, role of the container or of the machine. Temporary credentials are renewed before they expire.
 */
export function credentialSource(env: NodeJS.ProcessEnv): CredentialSource {
  const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '', AWS_SESSION_TOKEN: token = '' } = env;
  if (id !== '' && secret !== '' && (env['AWS_PROFILE'] ?? '') === '') {
    const ends = Date.parse(env['AWS_CREDENTIAL_EXPIRATION'] ?? '');
    const fixed = {
      accessKeyId: id,
      secretAccessKey: secret,
      ...(token === '' ? {} : { sessionToken: token, ...(Number.isNaN(ends) ? {} : { expiration: new Date(ends) }) }),
    };
    return () => Promise.resolve(fixed);
  }
  // Loaded lazily: it takes 50 ms, and keys in the environment need none of it.
  const chain = import('./credential-chain.ts').then(({ defaultProvider }) => defaultProvider());
  chain.catch(() => undefined);
  return async (renew = false) => (await chain)({ forceRefresh: renew });
}

/** Shortest time between two renewals, ms: each may call a service, or run a program. */
const RENEW_EVERY_MS = 60_000;

/**
 * Returns a source of credentials for URLs, which expire with the credentials that sign them. Credentials that expire
 * before `until` (ms since 1970) are renewed first, unless they were renewed a moment ago, or cannot be renewed now;
 * then the present ones are returned.
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
