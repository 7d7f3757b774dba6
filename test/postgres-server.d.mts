/** A PostgreSQL server of our own. */
export interface PostgresServer {
  readonly url: string;
  kill(): void;
  start(): void;
  stop(): void;
}

export declare function startPostgres(): Promise<PostgresServer>;
