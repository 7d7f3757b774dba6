import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { deliver, type Exchange } from '../deliver.ts';
import type { Draw } from '../draw.ts';
import { isWordOf, STATUS_WORDS } from '../job-status.ts';
import { type Job, phaseOf } from '../jobs.ts';
import { envelope, jobMembers, times } from '../media-job-answer.ts';
import { soundOf } from '../media-result.ts';
import { ERROR, inPath, inQuery, jsonAnswer, jsonRequest } from '../open-api-parts.ts';
import { priceOf } from '../price-request.ts';
import type { Service } from '../service.ts';
import type { Variant } from '../shapes.ts';
import { createVideoJob, readVideoJob } from '../video-job.ts';
import type { ApiRoutes } from './api-routes.ts';
import { idempotencyKeyOf, mediaUrl, readPart } from './read-request.ts';

/** The body of a lip-sync create. */
const lipSyncBody = z.object({ videoUrl: mediaUrl, audioUrl: mediaUrl });
/** The query of the list of lip-sync jobs. The filter accepts any word that an answer may use. */
const lipSyncQuery = z.object({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(50).default(10),
  status: z.enum(STATUS_WORDS).optional(),
});

const operation = 'lip-sync-job';

/** The lip-sync endpoints. */
export const lipSyncRoutes: ApiRoutes = {
  add(api, service) {
    const path = '/media/lip-sync/jobs';
    api.post(path, (request, reply) => deliver(service, createLipSync(service, request), reply));
    api.get(path, (request, reply) => deliver(service, listLipSync(service, request), reply));
    api.get<{ Params: { id: string } }>(`${path}/:id`, (request, reply) =>
      deliver(service, readVideoJob(service, operation, request.params.id), reply),
    );
  },
  paths: {
    '/media/lip-sync/jobs': {
      post: {
        summary: 'Create a lip-sync job (paid)',
        requestBody: jsonRequest(lipSyncBody),
        responses: {
          ...Object.fromEntries([200, 201, 202].map((status) => [status, jsonAnswer('LipSyncEnvelope', 'Accepted')])),
          default: ERROR,
        },
      },
      get: {
        summary: 'List lip-sync jobs, newest first',
        parameters: inQuery(lipSyncQuery),
        responses: { 200: jsonAnswer('LipSyncList', 'A page of jobs'), default: ERROR },
      },
    },
    '/media/lip-sync/jobs/{jobId}': {
      get: {
        summary: 'Read a lip-sync job',
        parameters: [inPath('jobId')],
        responses: { 200: jsonAnswer('LipSyncEnvelope', 'The job'), default: ERROR },
      },
    },
  },
};

function createLipSync(service: Service, request: FastifyRequest): Exchange {
  const { videoUrl, audioUrl } = readPart(lipSyncBody, request.body);
  const sound = soundOf(audioUrl, service);
  // Called only to refuse a link of our own that does not exist; the result is as long as its audio.
  soundOf(videoUrl, service);
  return createVideoJob(service, {
    operation,
    cost: priceOf(operation, sound),
    subject: `${videoUrl} ${audioUrl} ${sound.text}`,
    sound,
    inputs: { videoUrl, audioUrl },
    idempotencyKey: idempotencyKeyOf(request),
    message: 'Lip-sync job created',
    more: () => ({ remaining_credits: service.account.settings.credits }),
  });
}

function listLipSync(service: Service, request: FastifyRequest): Exchange {
  const { page, limit, status } = readPart(lipSyncQuery, request.query);
  return {
    on: 'list',
    operation,
    subject: '',
    perform: (_fate, draw) => {
      const now = Date.now();
      const all = service.jobs.listLipSync();
      const jobs = status === undefined ? all : all.filter((job) => isWordOf(status, phaseOf(job, now)));
      const echo = service.faults.echoInputs === 'drawn' ? draw.coin() : service.faults.echoInputs;
      const names = draw.shape('list.echo');
      const shown = jobs.slice((page - 1) * limit, page * limit).map((job) => ({
        ...jobMembers(service, job, null, draw),
        ...times(job, draw),
        ...(echo && echoedInputs(job, names)),
      }));
      const data = { [draw.shape('list.member')]: shown, pagination: pagination(page, limit, jobs.length, draw) };
      return envelope(200, data, 'OK', draw);
    },
  };
}

/** Returns a job's inputs, under one of two spellings. */
function echoedInputs({ videoUrl, audioUrl }: Job, names: Variant<'list.echo'>): Record<string, string | undefined> {
  return names === 'camel' ? { videoUrl, audioUrl } : { video_url: videoUrl, audio_url: audioUrl };
}

function pagination(page: number, limit: number, total: number, draw: Draw): Record<string, unknown> {
  const pages = Math.ceil(total / limit);
  const more = page < pages;
  return draw.shape('list.paging') === 'snake'
    ? { page, limit, total, total_pages: pages, has_more: more }
    : { page, limit, total, totalPages: pages, hasMore: more };
}
