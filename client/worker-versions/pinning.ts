import type { WorkerVersion } from '../../contract/worker-version.ts';

/** A run of a workflow that only workers of one version get the tasks of. */
export interface Pinning {
  readonly runId: string;
  readonly to: WorkerVersion;
  /** Somebody has pinned this run (`temporal workflow update-options`), whatever its own version is. */
  readonly byHand: boolean;
}
