/** A server of a world that is killed (SIGKILL) and started again, on the same port with the same files. */
export interface KillableServer {
  kill(): Promise<void>;
  start(): Promise<void>;
}
