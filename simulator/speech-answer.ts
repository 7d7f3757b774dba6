import { type Answer, json, newRequestId } from './answer.ts';
import type { Fate } from './deliver.ts';
import type { Draw } from './draw.ts';
import { jobStatusOf } from './job-status.ts';
import type { Job } from './jobs.ts';
import type { Service } from './service.ts';

/**
 * A speech job as shown in an answer, in one of three bodies: flat; inside `task`; or `task` with `record` and
 * `requestId`, where either or both objects hold id and status, and the link is at the top or in either.
 */
export function speechAnswer(service: Service, job: Job, fate: Fate, draw: Draw, status: 200 | 202): Answer {
  const shown = jobStatusOf(service, job, fate, draw, status === 202);
  const core = { [draw.shape('speech.id')]: job.id, status: shown.status, ...shown.error };
  const link = shown.link === null ? {} : { [shown.linkName ?? 'audioUrl']: shown.link };
  const place = draw.shape('speech.link');
  const holder = draw.shape('speech.holder');
  const named = draw.shape('speech.credits') === 'named';
  switch (draw.shape('speech.body')) {
    case 'flat':
      return json(status, { ...core, ...(named ? { creditsUsed: job.credits } : {}), ...link });
    case 'task':
      return json(status, {
        task: { ...core, ...(named ? { credits_used: job.credits } : {}), ...(place === 'top' ? {} : link) },
        ...(place === 'top' ? link : {}),
      });
    case 'task-record':
      return json(status, {
        task: { ...(holder === 'record' ? {} : core), ...(place === 'task' ? link : {}) },
        record: {
          ...(holder === 'task' ? {} : core),
          createdAt: new Date(job.createdAt).toISOString(),
          ...(place === 'record' ? link : {}),
        },
        ...(place === 'top' ? link : {}),
        ...(named ? { creditsUsed: job.credits, quotaRemaining: Math.floor(service.account.settings.credits) } : {}),
        // The request that made the job is on record under this id.
        requestId: status === 202 ? job.requestId : newRequestId(),
      });
  }
}
