/** What a media thread starts with. */
import { serveJobs } from '../threads/serve-jobs.ts';
import { doMediaJob } from './media-work.ts';

serveJobs(doMediaJob);
