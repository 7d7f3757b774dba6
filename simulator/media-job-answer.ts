import { type Answer, json } from './answer.ts';
import type { Fate } from './deliver.ts';
import type { Draw } from './draw.ts';
import { jobStatusOf } from './job-status.ts';
import { type Job, progressOf } from './jobs.ts';
import type { Service } from './service.ts';

/** Returns the members of an answer that shows a video job. `created`: it answers the job's creation. */
export function jobMembers(
  service: Service,
  job: Job,
  fate: Fate,
  draw: Draw,
  created = false,
): Record<string, unknown> {
  const shown = jobStatusOf(service, job, fate, draw, created);
  const details = {
    ...times(job, draw),
    progress: progressOf(job, Date.now()),
    billing_duration_seconds: job.result.sound.seconds,
  };
  return {
    id: job.id,
    status: shown.status,
    credits_used: job.credits,
    ...(draw.shape('lip.details') === 'given' ? details : {}),
    ...(shown.link === null ? {} : { [shown.linkName ?? draw.shape('lip.result')]: shown.link }),
    ...shown.error,
  };
}

/** Returns a job's creation time, under one of two names. */
export function times(job: Job, draw: Draw): Record<string, string> {
  const at = new Date(job.createdAt).toISOString();
  return draw.shape('list.paging') === 'snake' ? { created_at: at } : { createdAt: at };
}

/** Wraps an answer about video jobs in the API's envelope. */
export function envelope(status: number, data: Record<string, unknown>, message: string, draw: Draw): Answer {
  return json(status, { success: true, ...(draw.shape('lip.message') === 'given' ? { message } : {}), data });
}
