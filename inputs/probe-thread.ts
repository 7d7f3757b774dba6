/** Entry of the thread that reads the lengths of media behind URLs. */
import { workerData } from 'node:worker_threads';
import { createMediaFetch } from '../api/create-media-fetch.ts';
import { serveJobs } from '../threads/serve-jobs.ts';
import { probeMedia } from './media/probe-media.ts';
import { PROBE_MS, type ProbeData, type ProbeJob } from './media/probe-reader.ts';

const { apiUrl, proxies } = workerData as ProbeData;
const fetch = createMediaFetch(apiUrl, { env: proxies });
serveJobs(({ url }: ProbeJob) => probeMedia(url, PROBE_MS, fetch));
