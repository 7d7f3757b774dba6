import { linkFiles, type Link } from './link-files.ts';
import { doMediaJob, type MediaJob } from './media-work.ts';
import { reuseFile, type ReuseJob } from './reuse.ts';
import type { Linked, Reused, StoredFile } from './store.ts';

/** A media thread's job: a file to store or to find, one to keep a second time, or files to link. */
export type ThreadJob = MediaJob | ReuseJob | readonly Link[];
export type ThreadResult = StoredFile | undefined | Reused | readonly Linked[];

/** Runs a media thread's job. */
export function doThreadJob(job: ThreadJob): Promise<ThreadResult> {
  if (isLinks(job)) return Promise.resolve(linkFiles(job));
  return 'type' in job ? reuseFile(job) : doMediaJob(job);
}

function isLinks(job: ThreadJob): job is readonly Link[] {
  return Array.isArray(job);
}
