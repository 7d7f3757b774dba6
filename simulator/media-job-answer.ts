import { type Answer, json } from './answer.ts';
import type { Fate } from './deliver.ts';
import type { Draw } from './draw.ts';
import { wordsOf } from './job-words.ts';
import { type Job, progressOf } from './jobs.ts';
import type { Service } from './service.ts';

/** A job that makes a video, as an answer shows it. `created`: the answer is that to its creation. */
export function jobMembers(
  service: Service,
  job: Job,
  fate: Fate,
  draw: Draw,
  created = false,
): Record<string, unknown> {
  const words = wordsOf(service, job, fate, draw, created);
  const details = {
    ...times(job, draw),
    progress: progressOf(job, Date.now()),
    billing_duration_seconds: job.result.sound.seconds,
  };
  return {
    id: job.id,
    status: words.status,
    credits_used: job.credits,
    ...(draw.shape('lip.details') === 'given' ? details : {}),
    ...(words.link === null ? {} : { [draw.shape('lip.result')]: words.link }),
    ...words.error,
  };
}

/** When it was made, in one of two spellings. */
export function times(job: Job, draw: Draw): Record<string, string> {
  const at = new Date(job.createdAt).toISOString();
  return draw.shape('list.paging') === 'snake' ? { created_at: at } : { createdAt: at };
}

/** What the answers of such jobs come in. */
export function envelope(status: number, data: Record<string, unknown>, message: string, draw: Draw): Answer {
  return json(status, { success: true, ...(draw.shape('lip.message') === 'given' ? { message } : {}), data });
}
