/** A worker deployment version of Temporal's Worker Versioning. */
export interface WorkerVersion {
  /** Name of the worker deployment, such as `voxbatch`. */
  readonly deploymentName: string;
  /** Id of the code and environment of the version's workers. */
  readonly buildId: string;
}

/** A workflow run whose tasks go to workers of one version only. */
export interface Pinning {
  readonly runId: string;
  readonly to: WorkerVersion;
  /** Whether a person pinned the run by an override (`temporal workflow update-options`). */
  readonly byHand: boolean;
}
