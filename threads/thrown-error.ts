/** An error on its way between threads. Structured clone keeps neither an error's class nor its custom members. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** Its own further members that can be cloned, such as `code`. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly cause?: ThrownError;
}

/** Causes deeper than this are dropped. */
const MOST_CAUSES = 5;

/** Takes an error apart for posting. */
export function packError(error: unknown, depth = 0): ThrownError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), members: {} };
  const { name, message, stack, cause } = error;
  const own = Object.entries(error).filter(([key, value]) => key !== 'name' && isPlain(value));
  return {
    name,
    message,
    members: Object.fromEntries(own),
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || depth === MOST_CAUSES ? {} : { cause: packError(cause, depth + 1) }),
  };
}

/** Restores it as a plain error with the same name and the original stack. */
export function unpackError({ name, message, stack, members, cause }: ThrownError): Error {
  const error = new Error(message, cause === undefined ? {} : { cause: unpackError(cause) });
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, members, { name });
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) || value === null;
}
