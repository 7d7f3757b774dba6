/** Entry of the thread that reads recordings. */
import { serveJobs } from '../threads/serve-jobs.ts';
import { readSample } from './read-sample.ts';
import type { SampleJob } from './sample-reader.ts';

serveJobs(({ path, content }: SampleJob) => readSample(path, content));
