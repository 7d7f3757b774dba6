import type { WorkflowDefinitionOptions } from '@temporalio/common';
import { workflowInfo, type ContinueAsNewOptions } from '@temporalio/workflow';
import { defined } from '../contract/defined.ts';

/** What the input of a workflow keeps of its versions. */
interface Versioned {
  readonly leftVersion?: string;
}

/**
 * True if workers of another version should take over: Temporal's Worker Versioning has made that version the current
 * one. The workflow then continues as new as soon as it has nothing under way. Always false without versioning, and on
 * servers that do not tell workflows of it (1.29): there, workflows move when their history is full.
 */
export function isVersionOver({ leftVersion }: Versioned): boolean {
  const version = ownVersion();
  return version !== undefined && version !== leftVersion && workflowInfo().targetWorkerDeploymentVersionChanged;
}

/** Options that start the next run on workers of the current version; none without versioning. */
export function towardsCurrentVersion(): ContinueAsNewOptions {
  return ownVersion() === undefined ? {} : { initialVersioningBehavior: 'AUTO_UPGRADE' };
}

/**
 * The next run's input. It names the version that this run leaves, so that the next run, if it is held at that version,
 * does not leave it again. It names none if only the history is full: the next run should move as soon as another
 * version becomes the current one.
 */
export function leavingVersion<T extends Versioned>({
  leftVersion: _,
  ...input
}: T): Omit<T, 'leftVersion'> & Versioned {
  const left = workflowInfo().targetWorkerDeploymentVersionChanged ? ownVersion() : undefined;
  return { ...input, ...defined({ leftVersion: left }) };
}

/**
 * Options of a workflow that may continue on workers of any version. None without versioning, because the server then
 * rejects them.
 */
export function withAnyVersion(): WorkflowDefinitionOptions {
  return ownVersion() === undefined ? {} : { versioningBehavior: 'AUTO_UPGRADE' };
}

/**
 * The version of the workers that run this workflow; undefined without Worker Versioning, where workers have only a
 * build id.
 */
function ownVersion(): string | undefined {
  const { buildId = '', deploymentName = '' } = workflowInfo().currentDeploymentVersion ?? {};
  return buildId === '' || deploymentName === '' ? undefined : `${deploymentName}:${buildId}`;
}
