import { type Answer, json } from './answer.ts';
import type { Fate } from './deliver.ts';
import type { Draw } from './draw.ts';
import { wordsOf } from './job-words.ts';
import { type Job, progressOf } from './jobs.ts';
import type { Service } from './service.ts';

/** A video job as shown in an answer. `created`: the answer to its creation. */
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
    ...(words.link === null ? {} : { [words.linkName ?? draw.shape('lip.result')]: words.link }),
    ...words.error,
  };
}

/** Its creation time, in one of two spellings. */
export function times(job: Job, draw: Draw): Record<string, string> {
  const at = new Date(job.createdAt).toISOString();
  return draw.shape('list.paging') === 'snake' ? { created_at: at } : { createdAt: at };
}

/** The envelope of such answers. */
export function envelope(status: number, data: Record<string, unknown>, message: string, draw: Draw): Answer {
  return json(status, { success: true, ...(draw.shape('lip.message') === 'given' ? { message } : {}), data });
}
