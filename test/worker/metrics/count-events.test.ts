import { expect, it } from '@jest/globals';
import { noopMetricMeter, type MetricMeter, type MetricTags } from '@temporalio/common';
import type { WorkEvent } from '../../../contract/work-events.ts';
import { HISTOGRAM_BUCKETS, countEvents } from '../../../worker/metrics/count-events.ts';

const KEY = { batch: 'secret batch', row: 7, step: 'speech', take: 1, attempt: 1, lane: 3 } as const;

/** What a meter is told, a line for each: name, labels, value. */
function metered(): { readonly meter: MetricMeter; readonly told: string[]; readonly histograms: string[] } {
  const [told, histograms]: [string[], string[]] = [[], []];
  const tell = (name: string) => (value: number, labels?: MetricTags) => {
    told.push(`${name} ${JSON.stringify(labels ?? {})} ${String(value)}`);
  };
  const meter: MetricMeter = {
    createGauge: (name) => noopMetricMeter.createGauge(name),
    withTags: () => meter,
    createCounter: (name) => Object.assign(noopMetricMeter.createCounter(name), { add: tell(name) }),
    createHistogram: (name, ...more) => {
      histograms.push(name);
      return Object.assign(noopMetricMeter.createHistogram(name, ...more), { record: tell(name) });
    },
  };
  return { meter, told, histograms };
}

it('counts requests, jobs, downloads, waits and refusals', () => {
  const { meter, told, histograms } = metered();
  const observe = countEvents(meter);
  const events: readonly WorkEvent[] = [
    { type: 'answer', ...KEY, operation: 'speech-job', verdict: 'accepted', ms: 250, requestId: 'id-1' },
    { type: 'poll', ...KEY, operation: 'speech-job', jobId: 'job-1', found: 'running', ageMs: 1_000 },
    { type: 'poll', ...KEY, operation: 'speech-job', jobId: 'job-1', found: 'completed', ageMs: 4_000 },
    { type: 'download', ...KEY, jobId: 'job-1', bytes: 1_000, ms: 3 },
    { type: 'download', ...KEY, jobId: 'job-1', error: 'cut off' },
    { type: 'commit', ...KEY, of: 'result', ms: 5 },
    { type: 'limiter', of: 'create', is: 'slow-down', pauseMs: 1_000 },
    { type: 'limiter', of: 'create', is: 'well' },
    { type: 'note', what: 'ledger-away', error: 'no route' },
    { type: 'lane', batch: 'secret batch', is: 'taken' },
  ];
  const begun = told.splice(0);
  for (const event of events) observe(event);
  expect(told).toEqual([
    'voxbatch_requests {"operation":"speech-job","verdict":"accepted"} 1',
    'voxbatch_request_duration {"operation":"speech-job"} 0.25',
    'voxbatch_job_duration {"operation":"speech-job"} 4',
    'voxbatch_downloads {"result":"stored"} 1',
    'voxbatch_download_bytes {} 1000',
    'voxbatch_downloads {"result":"failed"} 1',
    'voxbatch_ledger_wait {"of":"result"} 0.005',
    'voxbatch_rate_limited {"of":"create"} 1',
    'voxbatch_notes {"what":"ledger-away"} 1',
  ]);
  // An alert on an increase would miss the first event of a series that begins with it.
  expect(begun).toContain('voxbatch_requests {"operation":"speech-job","verdict":"unknown"} 0');
  expect(begun).toContain('voxbatch_notes {"what":"ledger-away"} 0');
  expect(begun.filter((line) => !line.endsWith(' 0'))).toEqual([]);
  // A histogram without buckets of its own would get some for milliseconds.
  expect(histograms.toSorted()).toEqual(Object.keys(HISTOGRAM_BUCKETS).toSorted());
});

it('never throws: the meter of a worker that has ended refuses', () => {
  const { meter } = metered();
  let isClosed = false;
  const refuse = (): void => {
    if (isClosed) throw new Error('Runtime already closed');
  };
  const observe = countEvents({
    ...meter,
    createCounter: (name) => Object.assign(meter.createCounter(name), { add: refuse }),
  });
  isClosed = true;
  observe({ type: 'note', what: 'store-back' });
});
