import type { Fate } from '../deliver.ts';
import type { Draw } from '../draw.ts';
import { jobStatusOf } from '../job-status.ts';
import { type Job, progressOf } from '../jobs.ts';
import type { Service } from '../service.ts';

/** Returns a new lip-sync job, as the legacy paths show it. */
export function createdJob(service: Service, job: Job, fate: Fate, draw: Draw): Record<string, unknown> {
  return {
    id: job.id,
    status: jobStatusOf(service, job, fate, draw, true).status,
    created_at: new Date(job.createdAt).toISOString(),
    credits_used: job.credits,
    remaining_credits: service.account.settings.credits,
  };
}

/** Returns a lip-sync job as the legacy paths show it when it is read or listed. */
export function legacyJob(service: Service, job: Job, fate: Fate, draw: Draw): Record<string, unknown> {
  const now = Date.now();
  const { status, link, error } = jobStatusOf(service, job, fate, draw, false);
  const isOver = now >= job.finishesAt;
  const begun = now >= job.startsAt ? job.startsAt : job.createdAt;
  return {
    id: job.id,
    status,
    progress: progressOf(job, now),
    credits_used: job.credits,
    created_at: at(job.createdAt),
    updated_at: at(isOver ? job.finishesAt : begun),
    ...(isOver ? { completed_at: at(job.finishesAt) } : {}),
    ...(link === null ? {} : { result_url: link }),
    ...error,
  };
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}
