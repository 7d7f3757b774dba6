/** A Temporal server of our own with its databases in PostgreSQL. */
export interface TemporalCluster {
  readonly address: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** See temporal-cluster.mjs. */
export declare function startTemporalCluster(
  postgres: string,
  settings?: { readonly dynamic?: object; readonly global?: object },
): Promise<TemporalCluster>;
export declare function findTemporalCluster(): void;
