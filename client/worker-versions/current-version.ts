import type { Client } from '@temporalio/client';
import { shellWord } from '../../contract/shell-word.ts';
import type { Pinning, WorkerVersion } from '../../contract/worker-version.ts';
import { isNotFound } from '../../embedded/grpc-errors.ts';
import type { Temporal } from '../temporal/open-temporal.ts';

type Place = Pick<Temporal, 'client' | 'namespace'>;

/** True if it is the same version. */
export function isSameVersion(one: WorkerVersion, other: WorkerVersion): boolean {
  return one.deploymentName === other.deploymentName && one.buildId === other.buildId;
}

/** Whether new work goes to a version; undefined if Temporal does not say, for example because it may not be asked. */
export async function isCurrent(place: Place, version: WorkerVersion): Promise<boolean | undefined> {
  const current = await currentOf(place, version.deploymentName);
  return current === undefined ? undefined : current !== 'none' && isSameVersion(current, version);
}

/** Whether new work of a deployment goes to workers without a version; undefined if Temporal does not say. */
export async function isUnversioned(place: Place, deploymentName: string): Promise<boolean | undefined> {
  const current = await currentOf(place, deploymentName);
  return current === undefined ? undefined : current === 'none';
}

/**
 * The current version of a deployment, `none` also if there is no such deployment; undefined if Temporal does not say.
 */
async function currentOf(
  { client, namespace }: Place,
  deploymentName: string,
): Promise<WorkerVersion | 'none' | undefined> {
  try {
    const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({
      namespace,
      deploymentName,
    });
    const routing = workerDeploymentInfo?.routingConfig;
    if (routing == null) return undefined;
    return routing.currentDeploymentVersion == null ? 'none' : versionFrom(routing.currentDeploymentVersion);
  } catch (error) {
    return isNotFound(error) ? 'none' : undefined;
  }
}

/** Returns the version that a workflow's run is pinned to; undefined if it is not pinned. */
export function pinningOf({ runId, raw }: Awaited<ReturnType<Handle['describe']>>): Pinning | undefined {
  const info = raw.workflowExecutionInfo?.versioningInfo;
  const override = info?.versioningOverride?.pinned?.version;
  const behavior: number | null | undefined = info?.behavior;
  const version = override ?? (behavior === PINNED ? info?.deploymentVersion : undefined);
  return version == null ? undefined : { runId, to: versionFrom(version), byHand: override != null };
}

/** The command that makes a version the current one, which gets new work. */
export function setCurrentCommand(temporal: Address, { deploymentName, buildId }: WorkerVersion): string {
  const version = `--deployment-name ${shellWord(deploymentName)} --build-id ${shellWord(buildId)}`;
  return `temporal worker deployment set-current-version ${flagsOf(temporal)} ${version}`;
}

/** The command that removes a version that somebody has pinned a workflow to by hand. */
export function unpinCommand(temporal: Address, workflowId: string): string {
  const to = `--workflow-id ${shellWord(workflowId)} --versioning-override-behavior unspecified`;
  return `temporal workflow update-options ${flagsOf(temporal)} ${to}`;
}

type Address = Pick<Temporal, 'address' | 'namespace'>;

function flagsOf({ address, namespace }: Address): string {
  return `--address ${shellWord(address)} --namespace ${shellWord(namespace)}`;
}

type Handle = ReturnType<Client['workflow']['getHandle']>;

/** `VERSIONING_BEHAVIOR_PINNED` in Temporal's protocol. */
const PINNED = 1;

function versionFrom({
  deploymentName,
  buildId,
}: {
  readonly deploymentName?: string | null;
  readonly buildId?: string | null;
}): WorkerVersion {
  return { deploymentName: deploymentName ?? '', buildId: buildId ?? '' };
}
