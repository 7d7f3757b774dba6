/** An error on its way between threads: a structured clone keeps neither its class nor the members that we gave it. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** Its own further members that can be cloned, such as `code`. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly cause?: ThrownError;
}

/** Causes further down than this are left out. */
const MOST_CAUSES = 5;

/** Takes an error apart, so that it can be posted. */
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

/** Puts it together again, as a plain error of that name. Its stack is the one of where it was thrown. */
export function unpackError({ name, message, stack, members, cause }: ThrownError): Error {
  const error = new Error(message, cause === undefined ? {} : { cause: unpackError(cause) });
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, members, { name });
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) || value === null;
}
