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

/** The input of the next run, which knows which version this one left. */
export function leavingVersion<T extends Versioned>(input: T): T {
  return { ...input, ...defined({ leftVersion: ownVersion() }) };
}

/** Options of a workflow that goes on with any workers. A server refuses what a worker without versioning says of it. */
export function withAnyVersion(): WorkflowDefinitionOptions {
  return ownVersion() === undefined ? {} : { versioningBehavior: 'AUTO_UPGRADE' };
}

/** The version of the workers that this run is with; undefined without Worker Versioning, where a worker has a build only. */
function ownVersion(): string | undefined {
  const { buildId = '', deploymentName = '' } = workflowInfo().currentDeploymentVersion ?? {};
  return buildId === '' || deploymentName === '' ? undefined : `${deploymentName}:${buildId}`;
}
