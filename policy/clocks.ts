/** How far the API's clock may be from ours before times of its own say nothing about a job of ours, ms. */
export const API_CLOCK_SLACK_MS = 60_000;

/** How far the clocks of workers may be apart, ms. */
export const WORKER_CLOCK_SLACK_MS = 5_000;
