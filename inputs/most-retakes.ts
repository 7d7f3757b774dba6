/** `--retakes` at most: a job that has failed more often than this will fail again, at full price. */
export const MOST_RETAKES = 10;
