import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { acceptJob } from '../accept-job.ts';
import { deliver, type Exchange } from '../deliver.ts';
import { AUDIO_FORMATS } from '../media/render-audio.ts';
import { speechOf } from '../media-result.ts';
import { ERROR, inPath, jsonAnswer, jsonRequest, speechAnswers } from '../open-api-parts.ts';
import { priceOf } from '../price-request.ts';
import { readJob } from '../read-job.ts';
import type { Service } from '../service.ts';
import { speakSynchronously } from '../synchronous-speech.ts';
import { spoilSpeech } from '../spoil-speech.ts';
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
    api.post('/speech/tts', (request, reply) => {
      const { voiceId, reference_id: alias, ...wanted } = readPart(speechBody, request.body);
      const order = { ...wanted, voiceId: voiceId ?? alias ?? '', idempotencyKey: idempotencyKeyOf(request) };
      return deliver(service, speakSynchronously(service, order, 'v1'), reply);
    });
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
        responses: speechAnswers('CachedSpeech'),
      },
    },
  },
};

function createSpeechJob(service: Service, request: FastifyRequest): Exchange {
  const body = readPart(speechJobBody, request.body);
  service.checkText(body.text);
  service.checkVoice(body.voiceId, { engine: body.engineModelId });
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
        sound: fate?.kind === 'speaks' ? spoilSpeech(sound, fate.as) : sound,
        inputs: { text: body.text, voiceId: body.voiceId },
        idempotencyKey: idempotencyKeyOf(request),
      });
      return { ...speechAnswer(service, job, fate, draw, 202), charge };
    },
  };
}

function readSpeechJob(service: Service, id: string): Exchange {
  return readJob(service, 'speech-job', id, {
    what: 'Task',
    answer: (job, fate, draw) => speechAnswer(service, job, fate, draw, 200),
  });
}
