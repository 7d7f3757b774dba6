/** A PostgreSQL server of our own. */
export interface PostgresServer {
  readonly url: string;
  /** The folder that has its files. */
  readonly data: string;
  /** Runs one of PostgreSQL's programs as the server's user. */
  readonly run: (program: string, ...args: readonly string[]) => void;
  readonly kill: () => void;
  readonly keepFiles: () => () => void;
  readonly start: () => Promise<void>;
  readonly stop: () => void;
}

/** One that may be replicated. */
export interface PrimaryServer extends PostgresServer {
  readonly replicate: () => Promise<ReplicaServer>;
}

/** One that follows another. */
export interface ReplicaServer extends PostgresServer {
  readonly fallBehind: () => void;
  readonly takeOver: () => Promise<void>;
}

/** See postgres-server.mjs. */
export declare function startPostgres(): Promise<PrimaryServer>;
