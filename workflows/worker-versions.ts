import type { WorkflowDefinitionOptions } from '@temporalio/common';
import { workflowInfo, type ContinueAsNewOptions } from '@temporalio/workflow';
import { defined } from '../contract/defined.ts';

/** What the input of a workflow keeps of its versions. */
interface Versioned {
  readonly leftVersion?: string;
}

/**
 * True if other workers are to take over: Temporal's Worker Versioning has made another version the current one. The
 * workflow then continues as new as soon as it has nothing under way. Always false without versioning, and on a server
 * that tells workflows nothing of it (1.29): there they move when their history is full.
 */
export function isVersionOver({ leftVersion }: Versioned): boolean {
  const version = ownVersion();
  return version !== undefined && version !== leftVersion && workflowInfo().targetWorkerDeploymentVersionChanged;
}

/** Options with which the next run begins with the workers of the current version; none without versioning. */
export function towardsCurrentVersion(): ContinueAsNewOptions {
  return ownVersion() === undefined ? {} : { initialVersioningBehavior: 'AUTO_UPGRADE' };
}

/**
 * The input of the next run, which knows which version this one has left for another, or is held at. One that goes on
 * only because its history is full leaves none: the next run is to move as soon as another version becomes the current
 * one.
 */
export function leavingVersion<T extends Versioned>({
  leftVersion: _,
  ...input
}: T): Omit<T, 'leftVersion'> & Versioned {
  const left = workflowInfo().targetWorkerDeploymentVersionChanged ? ownVersion() : undefined;
  return { ...input, ...defined({ leftVersion: left }) };
}

/**
 * Options of a workflow that goes on with any workers. A server refuses what a worker without versioning says of it.
 */
export function withAnyVersion(): WorkflowDefinitionOptions {
  return ownVersion() === undefined ? {} : { versioningBehavior: 'AUTO_UPGRADE' };
}

/**
 * The version of the workers that this run is with; undefined without Worker Versioning, where a worker has a build
 * only.
 */
function ownVersion(): string | undefined {
  const { buildId = '', deploymentName = '' } = workflowInfo().currentDeploymentVersion ?? {};
  return buildId === '' || deploymentName === '' ? undefined : `${deploymentName}:${buildId}`;
}
