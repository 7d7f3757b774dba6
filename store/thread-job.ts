import { linkFiles, type Link } from './link-files.ts';
import { joinFiles, type JoinJob } from './join-files.ts';
import type { MediaJob } from './media-job.ts';
import { mediaSeconds, type SecondsJob } from './media-seconds.ts';
import { doMediaJob } from './media-work.ts';
import { reuseFile, type ReuseJob } from './reuse.ts';
import type { Hearing } from './sound/levels.ts';
import { levelsOf, type LevelsJob } from './sound/read-levels.ts';
import type { Joined, Linked, Reused, StoredFile } from './store.ts';

/** A media thread's job: a file to store or to find, one to keep a second time, files to join, one to listen to or to measure, or files to link. */
export type ThreadJob = MediaJob | ReuseJob | JoinJob | LevelsJob | SecondsJob | readonly Link[];
export type ThreadResult = StoredFile | undefined | Reused | Joined | Hearing | number | readonly Linked[];

/** Runs a media thread's job. */
export function doThreadJob(job: ThreadJob): Promise<ThreadResult> {
  if (isLinks(job)) return Promise.resolve(linkFiles(job));
  if (!('type' in job)) return doMediaJob(job);
  switch (job.type) {
    case 'reuse':
      return reuseFile(job);
    case 'join':
      return joinFiles(job);
    case 'levels':
      return levelsOf(job.file);
    case 'seconds':
      return mediaSeconds(job.path, job.extension);
  }
}

function isLinks(job: ThreadJob): job is readonly Link[] {
  return Array.isArray(job);
}
