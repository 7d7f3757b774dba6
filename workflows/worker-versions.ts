import type { WorkflowDefinitionOptions } from '@temporalio/common';
import { workflowInfo, type ContinueAsNewOptions } from '@temporalio/workflow';
import { defined } from '../contract/defined.ts';

// How workflows move to workers of a new version under Temporal's Worker Versioning. A run stays on the workers of the
// version that started it (`PINNED`), and moves when it continues as new. `supervise-batch.ts` does that as soon as
// another version is the current one and no lane is offered. Without Worker Versioning, all functions here do nothing.

/** The part of a workflow's input that concerns versions. */
interface Versioned {
  /** The version (`deployment:build`) that the previous run left. */
  readonly leftVersion?: string;
}

/**
 * Returns true if workers of another version should take over, because that version has become the current one, and the
 * workflow should continue as new. Always false on servers that do not report a changed version to workflows (1.29):
 * there, workflows move when their history is full.
 */
export function isVersionReplaced({ leftVersion }: Versioned): boolean {
  const version = ownVersion();
  return version !== undefined && version !== leftVersion && workflowInfo().targetWorkerDeploymentVersionChanged;
}

/** Returns the options for continuing as new on workers of the current version. */
export function currentVersionOptions(): ContinueAsNewOptions {
  return ownVersion() === undefined ? {} : { initialVersioningBehavior: 'AUTO_UPGRADE' };
}

/**
 * Returns the next run's input. If another version has become the current one, it names the version that this run
 * leaves: a next run that lands on that version again does not leave it a second time. If only the history is full, it
 * names none, so that the next run moves as soon as another version becomes the current one.
 */
export function withLeftVersion<T extends Versioned>({
  leftVersion: _,
  ...input
}: T): Omit<T, 'leftVersion'> & Versioned {
  const left = workflowInfo().targetWorkerDeploymentVersionChanged ? ownVersion() : undefined;
  return { ...input, ...defined({ leftVersion: left }) };
}

/**
 * Returns the options of a workflow that may continue on workers of any version. Without versioning there are none,
 * because the server then rejects them.
 */
export function anyVersionOptions(): WorkflowDefinitionOptions {
  return ownVersion() === undefined ? {} : { versioningBehavior: 'AUTO_UPGRADE' };
}

/**
 * Returns the version (`deployment:build`) of the workers that run this workflow; undefined without Worker Versioning,
 * where workers have only a build id.
 */
function ownVersion(): string | undefined {
  const { buildId = '', deploymentName = '' } = workflowInfo().currentDeploymentVersion ?? {};
  return buildId === '' || deploymentName === '' ? undefined : `${deploymentName}:${buildId}`;
}
