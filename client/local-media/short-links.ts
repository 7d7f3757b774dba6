import { formatDuration } from '../../contract/times.ts';
import { linkLifetimeMs } from '../../contract/local-media.ts';
import { serveMediaOf } from '../../contract/serve-media.ts';
import type { ManifestWarning } from '../../contract/manifest-problems.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import { urlLifetime } from '../../store/open-store.ts';
import type { UrlLimit } from '../../store/store.ts';
import type { Settings } from '../settings.ts';

const MINUTE_MS = 60_000;

/** Advice by the reason for the short life. */
const ADVICE: Readonly<Record<UrlLimit, string>> = {
  'seven-days': 'Lower polling.jobDeadlineMinutes',
  session:
    "Use access keys without a session, or a longer session: duration_seconds of the profile, at most the role's maximum session duration (1h unless it was raised, 12h at most)",
  'unknown-session': 'Set AWS_CREDENTIAL_EXPIRATION to its end, or use access keys without a session',
};

/**
 * Explains why a bucket's links to local media may expire before the jobs that fetch them end, and what to do;
 * undefined if they live long enough, or do not come from a bucket. Only a warning: most jobs fetch their files at
 * once, and each request gets new links. Sends nothing to the bucket.
 */
export async function whyLinksAreShort(
  { config, store, env }: Pick<Settings, 'config' | 'store' | 'env'>,
  limits: { readonly jobDeadlineMs: number },
): Promise<string | undefined> {
  if (serveMediaOf(config) !== undefined) return undefined;
  // Missing credentials or a missing region are reported when the store is opened.
  const life = await urlLifetime(store, env, linkLifetimeMs(limits)).catch(() => undefined);
  if (life?.limit === undefined) return undefined;
  const { livesMs, limit } = life;
  const lasts = formatDuration(Math.floor(livesMs / MINUTE_MS) * MINUTE_MS);
  const why = {
    'seven-days': `links to local files live 7d, which is what S3 allows`,
    session: `links to local files end with the session of the AWS credentials, which lasts ${lasts}`,
    'unknown-session': 'links to local files end with the session of the AWS credentials, and its end is not known',
  }[limit];
  const needed = formatDuration(linkLifetimeMs(limits));
  return `${why}, but a job may take ${needed} with its downloads: one that begins after that cannot fetch its files, and may be charged. ${ADVICE[limit]}`;
}

/** Returns a manifest's warnings, plus one about links that expire early if its rows have local media. */
export async function warningsOf(
  { warnings, local }: Pick<ManifestSummary, 'warnings' | 'local'>,
  settings: Pick<Settings, 'config' | 'store' | 'env'>,
  limits: { readonly jobDeadlineMs: number },
): Promise<readonly ManifestWarning[]> {
  const message = local === null ? undefined : await whyLinksAreShort(settings, limits);
  return local === null || message === undefined ? warnings : [...warnings, { ...local, message }];
}
