import { BucketUnusable } from './errors.ts';

/** A place in a bucket. */
export interface BucketPlace {
  readonly bucket: string;
  /** What the names of all objects begin with: empty, or ends in `/`. */
  readonly prefix: string;
  /** `s3://bucket/prefix`, without a slash at its end. */
  readonly address: string;
}

/** Where a bucket is served. */
export interface BucketServer {
  readonly region: string;
  /** Origin and path of requests, without a slash at the end: the bucket is in one of both. */
  readonly url: URL;
}

type Env = NodeJS.ProcessEnv;
/** A profile of the AWS configuration, and the services that it may name. */
type Profile = Readonly<Record<string, string | undefined>>;

/**
 * Reads the standard settings: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_DEFAULT_REGION`; those
 * that are missing from the profile of `AWS_PROFILE` (`endpoint_url`, `region`, `s3.addressing_style`). Throws {@link
 * BucketUnusable} without a region on AWS.
 */
export async function readServer(place: BucketPlace, env: Env): Promise<BucketServer> {
  let profile: Profile | undefined;
  const ask = async (name: string, ...keys: readonly string[]): Promise<string | undefined> => {
    profile ??= await readProfile(env);
    const found = keys.map((key) => profile?.[key]).find((value) => value !== undefined && value !== '');
    return found ?? profile[name];
  };
  const ignored = env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true';
  const named = firstOf(env['AWS_ENDPOINT_URL_S3'], env['AWS_ENDPOINT_URL']);
  const endpoint = ignored ? undefined : (named ?? (await ask('endpoint_url', 's3.endpoint_url')));
  const own = firstOf(env['AWS_REGION'], env['AWS_DEFAULT_REGION']) ?? (await ask('region'));
  // Other servers have any region, and most call it this.
  const region = own ?? (endpoint === undefined ? undefined : 'us-east-1');
  if (region === undefined) throw unset(place, 'NoRegion', 'no region is set');
  if (endpoint === undefined) return { region, url: awsUrl(place, region, await styleFor(place, env, ask)) };
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw unset(place, 'AWAY', `the endpoint ${JSON.stringify(endpoint.slice(0, 80))} is no http(s) URL`);
  const url = new URL(endpoint);
  // A bucket as a host name needs DNS names for all buckets, which other servers rarely have.
  if ((await styleOf(env, ask)) === 'virtual') url.hostname = `${place.bucket}.${url.hostname}`;
  else url.pathname = `${url.pathname.replace(/\/$/, '')}/${place.bucket}`;
  return { region, url: withoutSlash(url) };
}

type Ask = (name: string, ...keys: readonly string[]) => Promise<string | undefined>;

/** A name with dots matches no certificate as a host. */
async function styleFor({ bucket }: BucketPlace, env: Env, ask: Ask): Promise<'path' | 'virtual'> {
  if (bucket.includes('.')) return 'path';
  return (await styleOf(env, ask)) === 'path' ? 'path' : 'virtual';
}

/** Asks for a profile only where one is named: reading it loads a library. */
async function styleOf(env: Env, ask: Ask): Promise<string | undefined> {
  return env['AWS_PROFILE'] === undefined ? undefined : ask('addressing_style', 's3.addressing_style');
}

function awsUrl({ bucket }: BucketPlace, region: string, style: 'path' | 'virtual'): URL {
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  return withoutSlash(new URL(style === 'path' ? `https://${host}/${bucket}` : `https://${bucket}.${host}`));
}

function withoutSlash(url: URL): URL {
  url.pathname = url.pathname.replace(/\/$/, '');
  return url;
}

/** The profile in `~/.aws/config`, with the settings of its service section for S3. */
async function readProfile(env: Env): Promise<Profile> {
  const { loadSharedConfigFiles } = await import('@smithy/core/config');
  const paths = { filepath: env['AWS_SHARED_CREDENTIALS_FILE'], configFilepath: env['AWS_CONFIG_FILE'] };
  const given = Object.fromEntries(Object.entries(paths).filter(([, path]) => path !== undefined));
  const { configFile, credentialsFile } = await loadSharedConfigFiles(given);
  const name = firstOf(env['AWS_PROFILE']) ?? 'default';
  const profile: Profile = { ...credentialsFile[name], ...configFile[name] };
  const { services } = profile;
  return services === undefined ? profile : { ...profile, ...configFile[`services.${services}`] };
}

function firstOf(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== '');
}

function unset(place: BucketPlace, code: string, message: string): BucketUnusable {
  return new BucketUnusable(place.address, { code, message });
}
