import { linkFiles, type Link } from './link-files.ts';
import { doMediaJob, type MediaJob } from './media-work.ts';
import { reuseFile, type ReuseJob } from './reuse.ts';
import type { Hearing } from './sound/levels.ts';
import { levelsOf, type LevelsJob } from './sound/read-levels.ts';
import type { Linked, Reused, StoredFile } from './store.ts';

/** A media thread's job: a file to store or to find, one to keep a second time, one to listen to, or files to link. */
export type ThreadJob = MediaJob | ReuseJob | LevelsJob | readonly Link[];
export type ThreadResult = StoredFile | undefined | Reused | Hearing | readonly Linked[];

/** Runs a media thread's job. */
export function doThreadJob(job: ThreadJob): Promise<ThreadResult> {
  if (isLinks(job)) return Promise.resolve(linkFiles(job));
  if (!('type' in job)) return doMediaJob(job);
  return job.type === 'reuse' ? reuseFile(job) : levelsOf(job.file);
}

function isLinks(job: ThreadJob): job is readonly Link[] {
  return Array.isArray(job);
}
