import type { MetricMeter } from '@temporalio/common';
import { OPERATIONS } from '../../contract/row-kinds.ts';
import { NOTES, type Observe, type WorkEvent } from '../../contract/work-events.ts';

/** The upper bounds of the buckets of each histogram, seconds. */
export const BUCKETS: Readonly<Record<string, number[]>> = {
  voxbatch_request_duration: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
  // A job has hours.
  voxbatch_job_duration: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600],
  voxbatch_ledger_wait: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
};

/**
 * Counts the events of this process's worker. Names have no unit and no `_total`: exporters add them. No row, id or
 * text is a label, or there would be as many time series as rows.
 */
export function countEvents(meter: MetricMeter): Observe {
  const counter = (name: string, help: string) => meter.createCounter(name, undefined, help);
  const seconds = (name: string, help: string) => meter.createHistogram(name, 'float', 'seconds', help);
  const requests = counter('voxbatch_requests', 'Answers to paid requests, and lost answers (unknown).');
  const took = seconds('voxbatch_request_duration', 'How long a paid request took until its answer.');
  const ran = seconds('voxbatch_job_duration', 'Age of a job when it was seen to be completed.');
  const limited = counter(
    'voxbatch_rate_limited',
    'Times that the API asked for fewer calls (429); calls that were on their way together count once.',
  );
  const downloads = counter('voxbatch_downloads', 'Downloads of results.');
  const bytes = counter('voxbatch_download_bytes', 'Bytes of downloaded results.');
  const waited = seconds('voxbatch_ledger_wait', 'How long a record took until it was on disk.');
  const notes = counter('voxbatch_notes', 'Lines of the log for whoever is on call, by what they say.');
  // Prometheus sees no increase in a series that begins with its first event, so what alerts wait for begins with 0.
  for (const operation of OPERATIONS) requests.add(0, { operation, verdict: 'unknown' });
  for (const of of ['create', 'read', 'jobs']) limited.add(0, { of });
  for (const result of ['stored', 'failed']) downloads.add(0, { result });
  for (const what of Object.keys(NOTES)) notes.add(0, { what });
  const count: { readonly [T in WorkEvent['type']]?: (event: Extract<WorkEvent, { readonly type: T }>) => void } = {
    answer: ({ operation, verdict, ms }) => {
      requests.add(1, { operation, verdict });
      took.record(ms / 1_000, { operation });
    },
    poll: ({ operation, found, ageMs }) => {
      if (found === 'completed') ran.record(Math.max(0, ageMs) / 1_000, { operation });
    },
    limiter: ({ of, is }) => {
      if (is === 'slow-down') limited.add(1, { of });
    },
    download: ({ bytes: length }) => {
      downloads.add(1, { result: length === undefined ? 'failed' : 'stored' });
      if (length !== undefined) bytes.add(length);
    },
    commit: ({ of, ms }) => {
      waited.record(ms / 1_000, { of });
    },
    note: ({ what }) => {
      notes.add(1, { what });
    },
  };
  return (event) => {
    try {
      // Each entry takes its own type's event; the compiler cannot see that through the table.
      (count[event.type] as ((event: WorkEvent) => void) | undefined)?.(event);
    } catch {
      // The SDK closes its native part with its last connection; what happens after that is not counted.
    }
  };
}
