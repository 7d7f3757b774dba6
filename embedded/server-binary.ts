/** The release of the Temporal command line to download or build. `go install` cannot build newer ones. */
export const PINNED_CLI = '1.5.1';

export interface FindServerOptions {
  /** `VOXBATCH_TEMPORAL_CLI`, `PATH`, `XDG_CACHE_HOME`, `HOME` are read from it. */
  readonly env: NodeJS.ProcessEnv;
  /** Receives a line about anything that takes long. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Options of a way to get the binary. */
export interface FetchServerOptions extends FindServerOptions {
  /** Where to put the binary, whole or not at all. */
  readonly target: string;
}

/** What a Temporal command-line binary says about itself. */
export interface ServerBinary {
  /** Absolute path. */
  readonly path: string;
  /**
   * Version of the server inside, e.g. `1.29.1`; a binary built with Go does not know the version of its command line.
   */
  readonly version: string;
}

/**
 * How a client reaches a Temporal server of this machine. It would ask the proxy of `https_proxy`, `http_proxy` or
 * `grpc_proxy` for a tunnel even to there. A worker's connection knows no such variables.
 */
export const WITHOUT_PROXY = { channelArgs: { 'grpc.enable_http_proxy': 0 } } as const;
