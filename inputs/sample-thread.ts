/** Entry of the thread that reads recordings. */
import { serveJobs } from '../threads/serve-jobs.ts';
import { readSample } from './voices/read-sample.ts';
import type { SampleJob } from './voices/sample-reader.ts';

serveJobs(({ path, content }: SampleJob) => readSample(path, content));
