/** What a media thread starts with. */
import { serveJobs } from '../threads/serve-jobs.ts';
import { doThreadJob } from './thread-job.ts';

serveJobs(doThreadJob);
