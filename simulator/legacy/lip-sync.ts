import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { acceptJob } from '../accept-job.ts';
import { json } from '../answer.ts';
import { deliver, type Exchange } from '../deliver.ts';
import { type Job, phaseOf } from '../jobs.ts';
import { soundOf } from '../media-result.ts';
import { ERROR, inQuery, jsonAnswer, jsonRequest } from '../open-api-parts.ts';
import { priceOf } from '../price-request.ts';
import { Refusal } from '../refusals.ts';
import type { ApiRoutes } from '../routes/api-routes.ts';
import { idempotencyKeyOf, mediaUrl, optionalBody, readPart } from '../routes/read-request.ts';
import type { Service } from '../service.ts';
import { createdJob, legacyJob } from './job-answer.ts';

const createBody = z.object({ video_url: mediaUrl, audio_url: mediaUrl });
const queryOfOne = z.object({ id: z.string().min(1) });
const STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
type Status = (typeof STATUSES)[number];
const queryOfList = z.object({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(50).default(10),
  status: z.enum(STATUSES).optional(),
});

const operation = 'lip-sync-job';
const dialect = 'legacy';

/** The lip-sync endpoints of the legacy paths. Both reads take a query by `GET`, and the same as JSON by `POST`. */
export const legacyLipSyncRoutes: ApiRoutes = {
  add(api, service) {
    api.post('/lip-sync/create', (request, reply) => deliver(service, create(service, request), reply));
    api.get('/lip-sync/query', (request, reply) => deliver(service, readOne(service, request.query), reply));
    api.post('/lip-sync/query', (request, reply) => deliver(service, readOne(service, request.body), reply));
    api.get('/lip-sync/list', (request, reply) => deliver(service, list(service, request.query), reply));
    api.post('/lip-sync/list', (request, reply) => deliver(service, list(service, optionalBody(request)), reply));
  },
  paths: {
    '/api/open/lip-sync/create': {
      post: {
        summary: 'Create a lip-sync job (paid)',
        requestBody: jsonRequest(createBody),
        responses: { 200: jsonAnswer('LegacyLipSyncCreated', 'Accepted'), default: ERROR },
      },
    },
    '/api/open/lip-sync/query': readPaths('Read a lip-sync job', queryOfOne, 'LegacyLipSyncEnvelope'),
    '/api/open/lip-sync/list': readPaths('List lip-sync jobs, newest first', queryOfList, 'LegacyLipSyncList'),
  },
};

function readPaths(summary: string, query: z.ZodObject, schema: string): ApiRoutes['paths'][string] {
  const responses = { 200: jsonAnswer(schema, 'What was asked for'), default: ERROR };
  return {
    get: { summary, parameters: inQuery(query), responses },
    post: { summary, requestBody: { ...jsonRequest(query), required: !query.safeParse({}).success }, responses },
  };
}

function create(service: Service, request: FastifyRequest): Exchange {
  const { video_url: videoUrl, audio_url: audioUrl } = readPart(createBody, request.body);
  const sound = soundOf(audioUrl, service);
  // Called only to refuse a link of our own that does not exist.
  soundOf(videoUrl, service);
  const cost = priceOf(operation, sound);
  const subject = `${videoUrl} ${audioUrl} ${sound.text}`;
  const idempotencyKey = idempotencyKeyOf(request);
  return {
    dialect,
    on: 'create',
    operation,
    subject,
    admission: service.admission(operation, cost),
    perform: (fate, draw) => {
      const order = { operation, cost, format: 'mp4', subject, sound, inputs: { videoUrl, audioUrl } } as const;
      const { job, charge } = acceptJob(service, draw, fate, { ...order, idempotencyKey });
      const data = createdJob(service, job, fate, draw);
      return json(200, { success: true, message: 'Lip-sync task created', data }, charge);
    },
  };
}

function readOne(service: Service, query: unknown): Exchange {
  const { id } = readPart(queryOfOne, query);
  const job = service.jobs.find(operation, id);
  return {
    dialect,
    on: 'read',
    operation,
    subject: job?.result.subject ?? '',
    perform: (fate, draw) => {
      if (job === undefined) throw new Refusal(404, 'ERR_NOT_FOUND', 'Task not found');
      return json(200, { success: true, data: legacyJob(service, job, fate, draw) });
    },
  };
}

function list(service: Service, query: unknown): Exchange {
  const { page, limit, status } = readPart(queryOfList, query);
  return {
    dialect,
    on: 'list',
    operation,
    subject: '',
    perform: (_fate, draw) => {
      const now = Date.now();
      const all = service.jobs.listLipSync();
      const chosen = status === undefined ? all : all.filter((job) => statusOf(job, now) === status);
      const { echoInputs } = service.faults;
      const echo = echoInputs === 'drawn' ? draw.coin() : echoInputs;
      const tasks = chosen.slice((page - 1) * limit, page * limit).map((job) => ({
        ...legacyJob(service, job, null, draw),
        ...(echo ? { video_url: job.videoUrl, audio_url: job.audioUrl } : {}),
      }));
      const pages = Math.ceil(chosen.length / limit);
      const pagination = { page, limit, total: chosen.length, total_pages: pages, has_more: page < pages };
      return json(200, { success: true, data: { tasks, pagination, statistics: statisticsOf(all, now) } });
    },
  };
}

/** Number of the account's jobs by status. */
function statisticsOf(jobs: readonly Job[], now: number): Record<string, number> {
  const counts: Record<string, number> = { total: jobs.length, ...Object.fromEntries(STATUSES.map((one) => [one, 0])) };
  for (const job of jobs) counts[statusOf(job, now)] = (counts[statusOf(job, now)] ?? 0) + 1;
  return counts;
}

const STATUS_OF = { waiting: 'pending', processing: 'processing', done: 'completed', failed: 'failed' } as const;

function statusOf(job: Job, now: number): Status {
  return STATUS_OF[phaseOf(job, now)];
}
