import { BucketUnusable } from './errors.ts';

/** The place of a store in a bucket. */
export interface BucketPlace {
  readonly bucket: string;
  /** Prefix of all keys: empty, or ends in `/`. */
  readonly prefix: string;
  /** `s3://bucket/prefix`, without a slash at its end. */
  readonly address: string;
}

/** The server of a bucket. */
export interface BucketServer {
  readonly region: string;
  /** Origin and base path of requests, without a slash at the end. The bucket is in the host name or in the path. */
  readonly url: URL;
}

type Env = NodeJS.ProcessEnv;
/** A profile of the AWS configuration, and the services that it may name. */
type Profile = Readonly<Record<string, string | undefined>>;

/**
 * Finds the server of a bucket by the standard settings of AWS: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`,
 * `AWS_REGION`, `AWS_DEFAULT_REGION`; missing ones come from the profile of `AWS_PROFILE` (`endpoint_url`, `region`,
 * `s3.addressing_style`). Throws {@link BucketUnusable} without a region on AWS, and for a malformed endpoint.
 */
export async function readServer(place: BucketPlace, env: Env): Promise<BucketServer> {
  let profile: Profile | undefined;
  const fromProfile = async (name: string, ...keys: readonly string[]): Promise<string | undefined> => {
    profile ??= await readProfile(env);
    const found = keys.map((key) => profile?.[key]).find((value) => value !== undefined && value !== '');
    return found ?? profile[name];
  };
  const ignored = env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true';
  const named = firstOf(env['AWS_ENDPOINT_URL_S3'], env['AWS_ENDPOINT_URL']);
  const endpoint = ignored ? undefined : (named ?? (await fromProfile('endpoint_url', 's3.endpoint_url')));
  const own = firstOf(env['AWS_REGION'], env['AWS_DEFAULT_REGION']) ?? (await fromProfile('region'));
  // Other servers accept any region; this is the usual default.
  const region = own ?? (endpoint === undefined ? undefined : 'us-east-1');
  if (region === undefined) throw unset(place, 'NoRegion', 'no region is set');
  if (endpoint === undefined) return { region, url: awsUrl(place, region, await styleOnAws(place, env, fromProfile)) };
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw unset(place, 'AWAY', `the endpoint ${JSON.stringify(endpoint.slice(0, 80))} is no http(s) URL`);
  const url = new URL(endpoint);
  // By default the bucket is in the path: other servers than AWS rarely have DNS names for their buckets.
  if ((await styleOf(env, fromProfile)) === 'virtual') url.hostname = `${place.bucket}.${url.hostname}`;
  else url.pathname = `${url.pathname.replace(/\/$/, '')}/${place.bucket}`;
  return { region, url: withoutSlash(url) };
}

/** Reads a setting from the profile: the first of `keys` that is not empty, else `name`. */
type FromProfile = (name: string, ...keys: readonly string[]) => Promise<string | undefined>;

/** Decides where the bucket's name goes on AWS. As a part of the host, a name with dots would match no certificate. */
async function styleOnAws({ bucket }: BucketPlace, env: Env, fromProfile: FromProfile): Promise<'path' | 'virtual'> {
  if (bucket.includes('.')) return 'path';
  return (await styleOf(env, fromProfile)) === 'path' ? 'path' : 'virtual';
}

/** Reads the addressing style, only if a profile is named, because reading profiles loads a library. */
async function styleOf(env: Env, fromProfile: FromProfile): Promise<string | undefined> {
  return env['AWS_PROFILE'] === undefined ? undefined : fromProfile('addressing_style', 's3.addressing_style');
}

function awsUrl({ bucket }: BucketPlace, region: string, style: 'path' | 'virtual'): URL {
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  return withoutSlash(new URL(style === 'path' ? `https://${host}/${bucket}` : `https://${bucket}.${host}`));
}

function withoutSlash(url: URL): URL {
  url.pathname = url.pathname.replace(/\/$/, '');
  return url;
}

/** Reads the profile in `~/.aws/config`, with the settings for S3 from its services section. */
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
