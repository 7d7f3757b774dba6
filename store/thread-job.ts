import { linkFiles, type Link } from './link-files.ts';
import { doMediaJob, type MediaJob } from './media-work.ts';
import type { Linked, StoredFile } from './store.ts';

/** A media thread's job: a file to store or to find, or files to link. */
export type ThreadJob = MediaJob | readonly Link[];
export type ThreadResult = StoredFile | undefined | readonly Linked[];

/** Runs a media thread's job. */
export function doThreadJob(job: ThreadJob): Promise<ThreadResult> {
  return isLinks(job) ? Promise.resolve(linkFiles(job)) : doMediaJob(job);
}

function isLinks(job: ThreadJob): job is readonly Link[] {
  return Array.isArray(job);
}
