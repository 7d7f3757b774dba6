import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type Answer, json, newRequestId } from '../answer.ts';
import { acceptJob } from '../accept-job.ts';
import { deliver, type Exchange } from '../deliver.ts';
import type { Draw } from '../draw.ts';
import { AUDIO_FORMATS } from '../media/render-audio.ts';
import { contentTypeOf, type MediaResult, renderMedia, speechOf } from '../media-result.ts';
import { BINARY, ERROR, inPath, jsonAnswer, jsonOf, jsonRequest } from '../open-api-parts.ts';
import { priceOf } from '../price-request.ts';
import { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import { speechAnswer } from '../speech-answer.ts';
import type { ApiRoutes } from './api-routes.ts';
import { idempotencyKeyOf, readPart, spokenText } from './read-request.ts';

const name = z.string().min(1);
const common = {
  text: spokenText,
  engineModelId: name.optional(),
  modelId: name.optional(),
  format: z.enum(AUDIO_FORMATS).default('mp3'),
  speed: z.number().min(0.5).max(2).optional(),
  volume: z.number().min(-20).max(20).optional(),
  language: name.optional(),
};
/** The body of a speech job. */
const speechJobBody = z.object({ ...common, voiceId: name });
/** The body of synchronous speech, where the voice may have either of two names. */
const speechBody = z
  .object({ ...common, voiceId: name.optional(), reference_id: name.optional(), cache: z.boolean().default(false) })
  .refine((body) => (body.voiceId ?? body.reference_id) !== undefined, { path: ['voiceId'] })
  .meta({ anyOf: [{ required: ['voiceId'] }, { required: ['reference_id'] }] });

/** The speech endpoints: jobs and the synchronous one. */
export const speechRoutes: ApiRoutes = {
  add(api, service) {
    api.post('/speech/tts/jobs', (request, reply) => deliver(service, createSpeechJob(service, request), reply));
    api.get<{ Params: { id: string } }>('/speech/tts/jobs/:id', (request, reply) =>
      deliver(service, readSpeechJob(service, request.params.id), reply),
    );
    api.post('/speech/tts', (request, reply) => deliver(service, speakAtOnce(service, request), reply));
  },
  paths: {
    '/speech/tts/jobs': {
      post: {
        summary: 'Create a speech job (paid)',
        requestBody: jsonRequest(speechJobBody),
        responses: { 202: jsonAnswer('SpeechTask', 'Accepted'), default: ERROR },
      },
    },
    '/speech/tts/jobs/{taskId}': {
      get: {
        summary: 'Read a speech job',
        parameters: [inPath('taskId')],
        responses: { 200: jsonAnswer('SpeechTask', 'The job'), default: ERROR },
      },
    },
    '/speech/tts': {
      post: {
        summary: 'Speak at once (paid)',
        requestBody: jsonRequest(speechBody),
        responses: {
          200: {
            description: 'The audio, or with `cache` a link to it, or why there is none',
            content: {
              ...jsonOf('CachedSpeech', 'ErrorResponse'),
              ...Object.fromEntries(
                ['audio/mpeg', 'audio/wav', 'audio/x-wav', 'audio/wave', 'audio/pcm'].map((type) => [type, BINARY]),
              ),
            },
          },
          default: ERROR,
        },
      },
    },
  },
};

function createSpeechJob(service: Service, request: FastifyRequest): Exchange {
  const body = readPart(speechJobBody, request.body);
  service.checkVoice(body.voiceId);
  const sound = speechOf(body.text, body.voiceId, body.format);
  const cost = priceOf('speech-job', sound);
  return {
    on: 'create',
    operation: 'speech-job',
    subject: body.text,
    admission: service.admission('speech-job', cost),
    perform: (fate, draw) => {
      const { job, charge } = acceptJob(service, draw, fate, {
        operation: 'speech-job',
        cost,
        format: body.format,
        subject: body.text,
        sound,
        inputs: { text: body.text, voiceId: body.voiceId },
        idempotencyKey: idempotencyKeyOf(request),
      });
      return { ...speechAnswer(service, job, fate, draw, 202), charge };
    },
  };
}

function readSpeechJob(service: Service, id: string): Exchange {
  const job = service.jobs.find('speech-job', id);
  return {
    on: 'read',
    operation: 'speech-job',
    subject: job?.result.subject ?? '',
    perform: (fate, draw) => {
      if (job === undefined) throw new Refusal(404, 'ERR_NOT_FOUND', 'Task not found');
      service.statistics.countJobRead(Date.now() < job.finishesAt);
      return speechAnswer(service, job, fate, draw, 200);
    },
  };
}

function speakAtOnce(service: Service, request: FastifyRequest): Exchange {
  const body = readPart(speechBody, request.body);
  const voiceId = body.voiceId ?? body.reference_id ?? '';
  service.checkVoice(voiceId, { speaksAtOnce: true });
  const operation = 'speech-sync';
  const sound = speechOf(body.text, voiceId, body.format);
  const cost = priceOf(operation, sound);
  return {
    on: 'create',
    operation,
    subject: body.text,
    admission: service.admission(operation, cost),
    perform: async (_fate, draw) => {
      const requestId = newRequestId();
      const charge = service.charge({
        operation,
        jobId: null,
        credits: cost,
        idempotencyKey: idempotencyKeyOf(request),
        requestId,
        text: body.text,
        voiceId,
      });
      const file = `${service.jobs.newId()}.${body.format}`;
      const result: MediaResult = { file, format: body.format, operation, subject: body.text, sound };
      const answer = body.cache
        ? cachedAnswer(service, result, cost, draw)
        : bytesAnswer(await renderMedia(body.format, sound), body.format, service, cost, draw);
      return { ...answer, charge };
    },
    otherMedia: () => renderMedia(body.format === 'mp3' ? 'wav' : 'mp3', sound),
  };
}

/** `cache: true`: JSON with a link, in the form of the schema or of the shorter printed sample. */
function cachedAnswer(service: Service, result: MediaResult, cost: number, draw: Draw): Answer {
  service.keep(result);
  const { url, expires } = service.links.make(result.file);
  const short = { audio_url: url, credits_used: cost, quota_remaining: service.account.settings.credits };
  if (draw.shape('cached.body') === 'short') return json(200, short);
  return json(200, {
    success: true,
    ...short,
    format: result.format,
    characters_used: Array.from(result.subject).length,
    expires_at: new Date(expires).toISOString(),
  });
}

function bytesAnswer(body: Buffer, format: MediaResult['format'], service: Service, cost: number, draw: Draw): Answer {
  const contentType = format === 'wav' ? draw.shape('wav.type') : contentTypeOf(format);
  const credits = {
    'x-openapi-credits-used': String(cost),
    'x-openapi-quota-remaining': String(service.account.settings.credits),
  };
  const named = draw.shape('sync.headers') === 'named' ? credits : {};
  return {
    status: 200,
    headers: { 'content-type': contentType, ...named },
    body,
    chunked: draw.shape('media.transfer') === 'chunked',
  };
}
