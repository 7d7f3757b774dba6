import type { WorkerVersion } from '../../contract/worker-version.ts';

/**
 * Versions of workers, recorded as the end of each worker's name in the ledger. With Worker Versioning, Temporal gives
 * a batch's lanes only to workers of one version, so workers of other versions must not be counted as free for them.
 */

/** Separates the version from the rest of a worker's name. */
const BEFORE_VERSION = ' version ';

/** Returns a worker's name: its identity, which is unique per process start, and its version, if it has one. */
export function ownerOf(identity: string, version: WorkerVersion | undefined): string {
  return version === undefined ? identity : `${identity}${wordsOf(version)}`;
}

function wordsOf({ deploymentName, buildId }: WorkerVersion): string {
  return `${BEFORE_VERSION}${deploymentName}:${buildId}`;
}

function versionOf(owner: string): string {
  const at = owner.indexOf(BEFORE_VERSION);
  return at < 0 ? '' : owner.slice(at);
}

/** Whether a worker, by its name, has this version. */
export function isOfVersion(owner: string, version: WorkerVersion): boolean {
  return versionOf(owner) === wordsOf(version);
}

/** Returns the workers with the same version as `owner`; those without a version if `owner` has none. */
export function ofSameVersion(owner: string, workers: readonly string[]): readonly string[] {
  return workers.filter((worker) => versionOf(worker) === versionOf(owner));
}
