import { linkFiles, type Link } from './link-files.ts';
import { doMediaJob, type MediaJob } from './media-work.ts';
import type { Linked, StoredFile } from './store.ts';

/** What a media thread is given: a file to keep or to find, or files to link. */
export type ThreadJob = MediaJob | readonly Link[];
export type ThreadResult = StoredFile | undefined | readonly Linked[];

/** Does what a media thread is given. */
export function doThreadJob(job: ThreadJob): Promise<ThreadResult> {
  return isLinks(job) ? Promise.resolve(linkFiles(job)) : doMediaJob(job);
}

function isLinks(job: ThreadJob): job is readonly Link[] {
  return Array.isArray(job);
}
