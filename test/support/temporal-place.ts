/** Where a test's Temporal is. */
export interface TemporalPlace {
  readonly address: string;
  readonly namespace: string;
}

/** What a test has of Temporal for itself: a server, or a namespace on one that all tests of the run share. */
export interface TestTemporal extends TemporalPlace {
  /** SIGKILL. Throws if the server is shared. */
  kill(): Promise<void>;
  /** Starts it again after {@link kill}, on the same port and database. */
  restart(): Promise<void>;
  /** Takes away all that it has recorded, or leaves it to nobody. */
  forget(): Promise<void>;
}

/** The settings with which commands find it. */
export function settingsOf({ address, namespace }: TemporalPlace): NodeJS.ProcessEnv {
  return { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
}

/** The flags with which Temporal's own command line finds it. */
export function flagsOf({ address, namespace }: TemporalPlace): readonly string[] {
  return ['--address', address, '--namespace', namespace];
}
