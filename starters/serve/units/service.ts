/** `voxbatch up` of one folder, as a service manager runs it. */
export interface Service {
  /** Of letters, digits and dashes; `voxbatch-` and the name of the folder. */
  readonly name: string;
  /** Node, its options and `cli.js`; all absolute. What `voxbatch` stands for. */
  readonly voxbatch: readonly string[];
  /** Absolute: where the configuration file, manifests and `out/` are, and where hooks run. */
  readonly workingDirectory: string;
  /** Settings that are no secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** File with the secrets, absolute: `NAME='value'` in each line. */
  readonly environmentFile: string;
  /** False: there may be no such file, because no secret is needed. */
  readonly needsFile: boolean;
  /** Where its log goes if the service manager has none of its own, absolute. */
  readonly log: string;
  /** True: a service of the system; false: of the user. */
  readonly isRoot: boolean;
}

/** After SIGTERM a service manager waits so long before it kills, s: `up` stops within 40 s, and a busy disk may add to that. */
export const STOP_TIMEOUT_S = 60;
/** Pause before a restart, s. There is no limit to restarts: an API that is away at night is back in the morning. */
export const RESTART_AFTER_S = 10;
/** How long a start may take, minutes: the first one may build the Temporal server. */
export const START_TIMEOUT_MIN = 10;
