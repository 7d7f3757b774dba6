import { parentPort } from 'node:worker_threads';

/** A job as posted to a thread. */
export interface PostedJob {
  readonly id: number;
  readonly job: unknown;
}

/** The result of a job, or its error, as posted back. */
export type PostedEnd =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: ThrownError };

/**
 * The thread's side of a `ThreadPool`: starts jobs as they come and posts their results; results that come together
 * share a message. Called by the thread's entry module. Jobs and results must survive structured clone.
 */
export function serveJobs(work: (job: never) => Promise<unknown>): void {
  const port = parentPort;
  if (port === null) throw new Error('Expected to run in a thread, but this is the main one.');
  let ends: PostedEnd[] = [];
  const post = (end: PostedEnd): void => {
    ends.push(end);
    if (ends.length > 1) return;
    setImmediate(() => {
      port.postMessage(ends);
      ends = [];
    });
  };
  // An empty message reports that the code is loaded.
  port.postMessage(ends);
  const begin = ({ id, job }: PostedJob): void => {
    work(job as never).then(
      (result) => {
        post({ id, result });
      },
      (error: unknown) => {
        post({ id, error: packError(error) });
      },
    );
  };
  port.on('message', (jobs: readonly PostedJob[]) => {
    for (const job of jobs) begin(job);
  });
}

/** An error as posted between threads. Structured clone keeps neither an error's class nor its custom members. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** Its own further members that can be cloned, such as `code`. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly cause?: ThrownError;
}

/** Maximum depth of causes; deeper ones are dropped. */
const MAX_CAUSES = 5;

/** Converts an error for posting. */
function packError(error: unknown, depth = 0): ThrownError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), members: {} };
  const { name, message, stack, cause } = error;
  const own = Object.entries(error).filter(([key, value]) => key !== 'name' && isPlain(value));
  return {
    name,
    message,
    members: Object.fromEntries(own),
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || depth === MAX_CAUSES ? {} : { cause: packError(cause, depth + 1) }),
  };
}

/** Restores a posted error as a plain one with the same name, members and stack. */
export function unpackError({ name, message, stack, members, cause }: ThrownError): Error {
  const error = new Error(message, cause === undefined ? {} : { cause: unpackError(cause) });
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, members, { name });
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) || value === null;
}
