/** Max difference between the API's clock and ours, ms. Beyond it, the API's times say nothing about our jobs. */
export const API_CLOCK_SLACK_MS = 60_000;

/** Max difference between the clocks of workers, ms. */
export const WORKER_CLOCK_SLACK_MS = 5_000;
