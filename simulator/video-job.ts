import { acceptJob, type JobOrder } from './accept-job.ts';
import type { Exchange } from './deliver.ts';
import { envelope, jobMembers } from './media-job-answer.ts';
import { readJob } from './read-job.ts';
import type { Service } from './service.ts';

/** The inputs of a new video job, and the answer to its creation. */
export interface VideoOrder extends Omit<JobOrder, 'format'> {
  readonly message: string;
  /** Extra members of the answer, computed after the job is charged. */
  readonly more?: () => Record<string, unknown>;
}

/** Creates a video job. */
export function createVideoJob(service: Service, { message, more, ...order }: VideoOrder): Exchange {
  const { operation, subject, cost } = order;
  return {
    on: 'create',
    operation,
    subject,
    admission: service.admission(operation, cost),
    perform: (fate, draw) => {
      const { job, charge } = acceptJob(service, draw, fate, { ...order, format: 'mp4' });
      // The order of draws matters: it determines what a seed produces.
      const members = { ...jobMembers(service, job, fate, draw, true), ...more?.() };
      return { ...envelope(Number(draw.shape('lip.status')), members, message, draw), charge };
    },
  };
}

/** Reads a video job. */
export function readVideoJob(service: Service, operation: JobOrder['operation'], id: string): Exchange {
  return readJob(service, operation, id, {
    what: 'Job',
    answer: (job, fate, draw) => envelope(200, jobMembers(service, job, fate, draw), 'OK', draw),
  });
}
