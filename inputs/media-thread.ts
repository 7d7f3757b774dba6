/** Entry of the thread that reads a manifest's media: it measures media behind URLs and inspects local recordings. */
import { workerData } from 'node:worker_threads';
import { serveJobs } from '../threads/serve-jobs.ts';
import { probeMedia } from './media/probe-media.ts';
import { PROBE_MS, type ProbeData, type ProbeJob } from './media/probe-reader.ts';
import type { SampleJob } from './voices/inspect-sample.ts';
import { readSample } from './voices/read-sample.ts';
import { createMediaFetch } from '../api/create-fetch.ts';

const { apiUrl, proxies = {} } = (workerData ?? {}) as ProbeData;
const fetch = createMediaFetch(apiUrl, { env: proxies });
serveJobs((job: ProbeJob | SampleJob) =>
  'url' in job ? probeMedia(job.url, PROBE_MS, fetch) : readSample(job.path, job.content),
);
