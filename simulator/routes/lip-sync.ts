import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { acceptJob } from '../accept-job.ts';
import { Refusal } from '../answer.ts';
import { deliver, type Exchange } from '../deliver.ts';
import type { Draw } from '../draw.ts';
import { type Phase, phaseOf } from '../jobs.ts';
import { envelope, jobMembers, times } from '../media-job-answer.ts';
import { listen } from '../media-result.ts';
import { priceOfSeconds } from '../price-request.ts';
import type { Service } from '../service.ts';
import { idempotencyKeyOf, mediaUrl, readPart } from './read-request.ts';

const body = z.object({ videoUrl: mediaUrl, audioUrl: mediaUrl });
const query = z.object({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(50).default(10),
  status: z
    .enum(['queued', 'pending', 'processing', 'completed', 'succeeded', 'success', 'done', 'failed', 'error'])
    .optional(),
});

/** Adds the lip-sync endpoints. */
export function addLipSyncRoutes(api: FastifyInstance, service: Service): void {
  const path = '/media/lip-sync/jobs';
  api.post(path, (request, reply) => deliver(service, createLipSync(service, request), reply));
  api.get(path, (request, reply) => deliver(service, listLipSync(service, request), reply));
  api.get<{ Params: { id: string } }>(`${path}/:id`, (request, reply) =>
    deliver(service, readLipSync(service, request.params.id), reply),
  );
}

function createLipSync(service: Service, request: FastifyRequest): Exchange {
  const { videoUrl, audioUrl } = readPart(body, request.body);
  const operation = 'lip-sync-job';
  const sound = listen(audioUrl, service);
  // Only to refuse a link of our own that does not exist: the result is as long as its audio.
  listen(videoUrl, service);
  const cost = priceOfSeconds(operation, sound.seconds);
  const subject = `${videoUrl} ${audioUrl} ${sound.text}`;
  return {
    on: 'create',
    operation,
    subject,
    admission: service.admission(operation, cost),
    perform: (fate, draw) => {
      const { job, charge } = acceptJob(service, draw, fate, {
        operation,
        cost,
        format: 'mp4',
        subject,
        sound,
        inputs: { videoUrl, audioUrl },
        idempotencyKey: idempotencyKeyOf(request),
      });
      const members = {
        ...jobMembers(service, job, fate, draw, true),
        remaining_credits: service.account.settings.credits,
      };
      return { ...envelope(Number(draw.shape('lip.status')), members, 'Lip-sync job created', draw), charge };
    },
  };
}

function readLipSync(service: Service, id: string): Exchange {
  const job = service.jobs.find('lip-sync-job', id);
  return {
    on: 'read',
    operation: 'lip-sync-job',
    subject: job?.result.subject ?? '',
    perform: (fate, draw) => {
      if (job === undefined) throw new Refusal(404, 'ERR_NOT_FOUND', 'Job not found');
      return envelope(200, jobMembers(service, job, fate, draw), 'OK', draw);
    },
  };
}

function listLipSync(service: Service, request: FastifyRequest): Exchange {
  const { page, limit, status } = readPart(query, request.query);
  return {
    on: 'list',
    operation: 'lip-sync-job',
    subject: '',
    perform: (_fate, draw) => {
      const now = Date.now();
      const all = service.jobs.listLipSync();
      const jobs = status === undefined ? all : all.filter((job) => phaseOf(job, now) === phaseNamed(status));
      const echo = service.faults.echoInputs === 'drawn' ? draw.coin() : service.faults.echoInputs;
      const names = draw.shape('list.echo');
      const shown = jobs.slice((page - 1) * limit, page * limit).map((job) => ({
        ...jobMembers(service, job, null, draw),
        ...times(job, draw),
        ...(!echo
          ? {}
          : names === 'camel'
            ? { videoUrl: job.videoUrl, audioUrl: job.audioUrl }
            : { video_url: job.videoUrl, audio_url: job.audioUrl }),
      }));
      const data = { [draw.shape('list.member')]: shown, pagination: pagination(page, limit, jobs.length, draw) };
      return envelope(200, data, 'OK', draw);
    },
  };
}

/** The filter takes any of the words that an answer may use. */
function phaseNamed(word: NonNullable<z.output<typeof query>['status']>): Phase {
  switch (word) {
    case 'queued':
    case 'pending':
      return 'waiting';
    case 'processing':
      return 'processing';
    case 'completed':
    case 'succeeded':
    case 'success':
    case 'done':
      return 'done';
    case 'failed':
    case 'error':
      return 'failed';
  }
}

function pagination(page: number, limit: number, total: number, draw: Draw): Record<string, unknown> {
  const pages = Math.ceil(total / limit);
  const more = page < pages;
  return draw.shape('list.paging') === 'snake'
    ? { page, limit, total, total_pages: pages, has_more: more }
    : { page, limit, total, totalPages: pages, hasMore: more };
}
