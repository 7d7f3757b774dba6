/** Entry of a media thread. */
import { serveJobs } from '../threads/serve-jobs.ts';
import { doThreadJob } from './media-threads.ts';

serveJobs(doThreadJob);
