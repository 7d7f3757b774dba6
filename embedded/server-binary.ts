/** The release of the Temporal command line that is downloaded or built. Newer ones can't be built by `go install`. */
export const PINNED_CLI = '1.5.1';

export interface FindServerOptions {
  /** `VOXBATCH_TEMPORAL_CLI`, `PATH`, `XDG_CACHE_HOME`, `HOME` are read from it. */
  readonly env: NodeJS.ProcessEnv;
  /** Gets a line for whatever takes long. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What a way of getting the binary is given. */
export interface FetchServerOptions extends FindServerOptions {
  /** The binary is put here, whole or not at all. */
  readonly target: string;
}

/** What a Temporal command-line binary says about itself. */
export interface ServerBinary {
  /** Absolute path. */
  readonly path: string;
  /** Version of the server inside, e.g. `1.29.1`; one built with Go does not know the version of its command line. */
  readonly version: string;
}
