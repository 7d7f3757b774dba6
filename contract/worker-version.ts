/** A version of a worker, in the terms of Temporal's Worker Versioning. */
export interface WorkerVersion {
  /** Name of the group of workers that take turns, such as `voxbatch`. */
  readonly deploymentName: string;
  /** Which code and environment a worker of it has. */
  readonly buildId: string;
}
