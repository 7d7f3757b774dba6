/** A PostgreSQL server of our own. */
export interface PostgresServer {
  readonly url: string;
  readonly kill: () => void;
  readonly start: () => void;
  readonly stop: () => void;
}

/** See postgres-server.mjs. */
export declare function startPostgres(): Promise<PostgresServer>;
