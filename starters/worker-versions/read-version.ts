import { voxbatchVersion } from '../../client/version.ts';
import type { WorkerVersion } from '../../contract/worker-version.ts';
import type { Flags } from '../commands/flags.ts';
import { usageError } from '../exit-error.ts';
import { ownEnvironment } from '../own-environment.ts';

/** The variables that Temporal's Worker Controller sets for the workers that it runs on Kubernetes. */
const VARIABLES = { deployment: 'TEMPORAL_DEPLOYMENT_NAME', buildId: 'TEMPORAL_WORKER_BUILD_ID' } as const;

/**
 * Returns this worker's version, from `--deployment` and `--build-id` or the environment; undefined if it takes no part
 * in Temporal's Worker Versioning. The default build is voxbatch's version. A worker that only downloads has no
 * version: it runs no workflows, and fetches for batches of all versions. Throws {@link ExitError} `usage`.
 */
export function readWorkerVersion(
  { deployment, buildId, only }: Pick<Flags, 'deployment' | 'buildId' | 'only'>,
  isCluster: boolean,
  env: NodeJS.ProcessEnv = ownEnvironment(),
): WorkerVersion | undefined {
  if (only === 'download') {
    if ((deployment ?? buildId) === undefined) return undefined;
    throw usageError('--deployment is not for workers that only download: they work for those of all versions.');
  }
  // An empty variable counts as not set.
  const deploymentName = deployment ?? (env[VARIABLES.deployment] || undefined);
  const build = buildId ?? (env[VARIABLES.buildId] || undefined);
  if (deploymentName === undefined) {
    if (build === undefined) return undefined;
    throw usageError(`--build-id (${VARIABLES.buildId}) needs --deployment (${VARIABLES.deployment}).`);
  }
  // Temporal joins the two names with `.` or `:`.
  if (deploymentName === '' || /[.:]/.test(deploymentName))
    throw usageError(`--deployment (${VARIABLES.deployment}): expected a name without "." and ":".`);
  if (build === '' || build?.includes(':') === true)
    throw usageError(`--build-id (${VARIABLES.buildId}): expected an id without ":".`);
  if (!isCluster) throw usageError('--deployment is for workers of a cluster: set TEMPORAL_ADDRESS, or leave it out.');
  return { deploymentName, buildId: build ?? voxbatchVersion() };
}
