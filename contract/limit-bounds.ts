/**
 * `--submits` at most. Each is a request that a crash may leave in doubt, and a socket: more of them bring doubt and no speed, as
 * 256 at the usual 200 ms are over 1,000 creates a second already.
 */
export const MOST_SUBMITS = 256;

/**
 * `--window` at most. Each row in flight is a job that is polled and remembered by a worker: with the default gap 10,000 of them are
 * 3,300 status reads a second.
 */
export const MOST_WINDOW = 10_000;
