/** The release of the Temporal command line to download or build. `go install` cannot build newer ones. */
export const PINNED_CLI = '1.5.1';

/** Options of `findServer` (`find-server.ts`). */
export interface FindServerOptions {
  /** `VOXBATCH_TEMPORAL_CLI`, `PATH`, `XDG_CACHE_HOME`, `HOME` are read from it. */
  readonly env: NodeJS.ProcessEnv;
  /** Receives a line about anything that takes long. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Options of a function that downloads or builds the binary. */
export interface FetchServerOptions extends FindServerOptions {
  /** Path at which the finished binary is put. An unfinished one never appears there. */
  readonly target: string;
}

/** A binary of the Temporal command line, which contains the server. */
export interface ServerBinary {
  /** Absolute path. */
  readonly path: string;
  /**
   * Version of the server inside, e.g. `1.29.1`; a binary built with Go does not know the version of its command line.
   */
  readonly version: string;
}

/**
 * Connection options of a client for a Temporal server on this machine. Without them, gRPC would use the proxy of
 * `https_proxy`, `http_proxy` or `grpc_proxy` even for a local address. Workers' connections ignore these variables.
 */
export const WITHOUT_PROXY = { channelArgs: { 'grpc.enable_http_proxy': 0 } } as const;
