import type { WorkerVersion } from '../../contract/worker-version.ts';

/**
 * Which workers Temporal may give a lane to. With Worker Versioning a batch stays with the workers of one version, so
 * those of others count for none of its lanes. A worker's version is part of its name, which all records of workers
 * have anyway.
 */

const BEFORE_VERSION = ' version ';

/** A worker's name, with its version, if it has one. `identity`: unique per process start. */
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

/** True if a worker is of this version. */
export function isOfVersion(owner: string, version: WorkerVersion): boolean {
  return versionOf(owner) === wordsOf(version);
}

/** Those of the workers that are of the same version as `owner`, or of none as it is. */
export function ofSameVersion(owner: string, workers: readonly string[]): readonly string[] {
  return workers.filter((worker) => versionOf(worker) === versionOf(owner));
}
