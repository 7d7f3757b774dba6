/** Entry of a media thread. */
import { serveJobs } from '../threads/serve-jobs.ts';
import { doThreadJob } from './thread-job.ts';

serveJobs(doThreadJob);
