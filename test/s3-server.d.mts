/** See `s3-server.mjs`. */
export interface S3Server {
  /** Settings of AWS to use it with. */
  readonly env: NodeJS.ProcessEnv;
  /** The folder that has the files of the bucket `media`. */
  readonly bucket: string;
  /** Adds a user without rights. Returns the settings of AWS for that user. */
  addUser(name: string): NodeJS.ProcessEnv;
  /** Throws if it has ended by itself. */
  requireRunning(): void;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}
export function startS3(): Promise<S3Server>;
export function findProgram(): string;
