/** A version of a worker, in the terms of Temporal's Worker Versioning. */
export interface WorkerVersion {
  /** Name of the group of workers that take turns, such as `voxbatch`. */
  readonly deploymentName: string;
  /** Which code and environment a worker of it has. */
  readonly buildId: string;
}

/** A run of a workflow that only workers of one version get the tasks of. */
export interface Pinning {
  readonly runId: string;
  readonly to: WorkerVersion;
  /** Somebody has pinned this run (`temporal workflow update-options`), whatever its own version is. */
  readonly byHand: boolean;
}
