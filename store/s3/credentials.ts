/** Credentials of AWS, as the signer takes them. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** Returns the credentials to sign with. `renew`: the last ones were refused as expired. Rejects if there are none. */
export type CredentialSource = (renew?: boolean) => Promise<Credentials>;

/**
 * Finds credentials as AWS's own tools do: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, with `AWS_SESSION_TOKEN` and
 * `AWS_CREDENTIAL_EXPIRATION`; otherwise, or with `AWS_PROFILE`, profile (keys, sign-in, role, program), web identity, role of the container or of the machine. What
 * expires is renewed before.
 */
export function credentialSource(env: NodeJS.ProcessEnv): CredentialSource {
  const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '', AWS_SESSION_TOKEN: token = '' } = env;
  if (id !== '' && secret !== '' && (env['AWS_PROFILE'] ?? '') === '') {
    const ends = Date.parse(env['AWS_CREDENTIAL_EXPIRATION'] ?? '');
    const fixed = {
      ...{ accessKeyId: id, secretAccessKey: secret },
      ...(token === '' ? {} : { sessionToken: token, ...(Number.isNaN(ends) ? {} : { expiration: new Date(ends) }) }),
    };
    return () => Promise.resolve(fixed);
  }
  // Loaded lazily: it takes 50 ms, and keys in the environment need none of it.
  const chain = import('./credential-chain.ts').then(({ defaultProvider }) => defaultProvider());
  chain.catch(() => undefined);
  return async (renew = false) => (await chain)({ forceRefresh: renew });
}
