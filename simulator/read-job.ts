import type { Answer } from './answer.ts';
import type { Exchange, Fate } from './deliver.ts';
import type { Draw } from './draw.ts';
import type { Job } from './jobs.ts';
import { Refusal } from './refusals.ts';
import type { Service } from './service.ts';

/** Reads a job by its id. `what`: the API's word for it in a 404. `answer`: makes the answer that shows it. */
export function readJob(
  service: Service,
  operation: Job['operation'],
  id: string,
  { what, answer }: { readonly what: 'Job' | 'Task'; readonly answer: (job: Job, fate: Fate, draw: Draw) => Answer },
): Exchange {
  const job = service.jobs.find(operation, id);
  return {
    on: 'read',
    operation,
    subject: job?.result.subject ?? '',
    perform: (fate, draw) => {
      if (job === undefined) throw new Refusal(404, 'ERR_NOT_FOUND', `${what} not found`);
      service.statistics.countJobRead(Date.now() < job.finishesAt);
      return answer(job, fate, draw);
    },
  };
}
