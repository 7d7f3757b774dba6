import type { MetricMeter } from '@temporalio/common';
import { OPERATIONS } from '../../contract/row-kinds.ts';
import { NOTES, type Observe, type WorkEvent } from '../../contract/work-events.ts';

/** The upper bounds of each histogram's buckets, in seconds. */
export const HISTOGRAM_BUCKETS: Readonly<Record<string, number[]>> = {
  voxbatch_request_duration: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
  // Jobs may take hours.
  voxbatch_job_duration: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600],
  voxbatch_ledger_wait: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
};

type EventOf<T extends WorkEvent['type']> = Extract<WorkEvent, { readonly type: T }>;

/** How to count each type of event; types that are missing are not counted. */
type Counters = { readonly [T in WorkEvent['type']]?: (event: EventOf<T>) => void };

/**
 * Returns an observer that counts a worker's events as metrics. Names have no unit and no `_total`: exporters add them.
 * Rows, ids and texts are never labels, because each of their values would make a time series of its own.
 */
export function countEvents(meter: MetricMeter): Observe {
  const metrics = createMetrics(meter);
  setInitialZeros(metrics);
  const counters = countersFor(metrics);
  return (event) => {
    try {
      // Each entry takes its own type's event; the compiler cannot see that through the table.
      (counters[event.type] as ((event: WorkEvent) => void) | undefined)?.(event);
    } catch {
      // The SDK closes its native part with its last connection; later events are not counted.
    }
  };
}

type Metrics = ReturnType<typeof createMetrics>;

function createMetrics(meter: MetricMeter) {
  const counter = (name: string, help: string) => meter.createCounter(name, undefined, help);
  const seconds = (name: string, help: string) => meter.createHistogram(name, 'float', 'seconds', help);
  return {
    requests: counter('voxbatch_requests', 'Answers to paid requests, and lost answers (unknown).'),
    requestDuration: seconds('voxbatch_request_duration', 'How long a paid request took until its answer.'),
    jobDuration: seconds('voxbatch_job_duration', 'Age of a job when it was seen to be completed.'),
    rateLimited: counter(
      'voxbatch_rate_limited',
      'Times that the API asked for fewer calls (429); calls that were on their way together count once.',
    ),
    downloads: counter('voxbatch_downloads', 'Downloads of results.'),
    downloadBytes: counter('voxbatch_download_bytes', 'Bytes of downloaded results.'),
    ledgerWait: seconds('voxbatch_ledger_wait', 'How long a record took until it was on disk.'),
    notes: counter('voxbatch_notes', 'Lines of the log for whoever is on call, by what they say.'),
  };
}

/**
 * Starts the time series that alerts watch at 0: Prometheus sees no increase in a series that starts with its first
 * event.
 */
function setInitialZeros({ requests, rateLimited, downloads, notes }: Metrics): void {
  for (const operation of OPERATIONS) requests.add(0, { operation, verdict: 'unknown' });
  for (const of of ['create', 'read', 'jobs']) rateLimited.add(0, { of });
  for (const result of ['stored', 'failed']) downloads.add(0, { result });
  for (const what of Object.keys(NOTES)) notes.add(0, { what });
}

function countersFor(metrics: Metrics): Counters {
  return {
    answer: ({ operation, verdict, ms }) => {
      metrics.requests.add(1, { operation, verdict });
      metrics.requestDuration.record(ms / 1_000, { operation });
    },
    poll: ({ operation, found, ageMs }) => {
      if (found === 'completed') metrics.jobDuration.record(Math.max(0, ageMs) / 1_000, { operation });
    },
    limiter: ({ of, is }) => {
      if (is === 'slow-down') metrics.rateLimited.add(1, { of });
    },
    download: ({ bytes }) => {
      metrics.downloads.add(1, { result: bytes === undefined ? 'failed' : 'stored' });
      if (bytes !== undefined) metrics.downloadBytes.add(bytes);
    },
    commit: ({ of, ms }) => {
      metrics.ledgerWait.record(ms / 1_000, { of });
    },
    note: ({ what }) => {
      metrics.notes.add(1, { what });
    },
  };
}
