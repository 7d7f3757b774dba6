/** A PostgreSQL server of our own. */
export interface PostgresServer {
  readonly url: string;
  /** The folder that has its files. */
  readonly data: string;
  readonly kill: () => void;
  readonly start: () => Promise<void>;
  readonly stop: () => void;
}

/** See postgres-server.mjs. */
export declare function startPostgres(): Promise<PostgresServer>;
