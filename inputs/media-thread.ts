/**
 * Entry of the thread that reads a manifest's media, which may hang or crash it: media behind URLs (`ProbeJob`),
 * recordings for voices (`SampleJob`), and other local media (`LocalMediaJob`).
 */
import { workerData } from 'node:worker_threads';
import { serveJobs } from '../threads/serve-jobs.ts';
import { probeMedia } from './media/probe-media.ts';
import { PROBE_MS, type ProbeData, type ProbeJob } from './media/probe-reader.ts';
import { readLocalMedia, type LocalMediaJob } from './local-media/read-local-media.ts';
import type { SampleJob } from './voices/inspect-sample.ts';
import { readSample } from './voices/read-sample.ts';
import { createMediaFetch } from '../api/create-fetch.ts';

const { apiUrl, proxies = {} } = (workerData ?? {}) as ProbeData;
const fetch = createMediaFetch(apiUrl, { env: proxies });
serveJobs((job: ProbeJob | SampleJob | LocalMediaJob) => {
  if ('url' in job) return probeMedia(job.url, PROBE_MS, fetch);
  return 'content' in job ? readSample(job.path, job.content) : readLocalMedia(job);
});
