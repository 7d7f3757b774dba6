import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { json, newRequestId } from '../answer.ts';
import { isForeign } from '../accept-job.ts';
import { deliver, type Exchange } from '../deliver.ts';
import type { Draw } from '../draw.ts';
import { recogniseWords } from '../recognise-words.ts';
import { soundOf, type Sound } from '../media-result.ts';
import { ERROR, jsonAnswer, jsonRequest } from '../open-api-parts.ts';
import { priceOf } from '../price-request.ts';
import { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import type { ApiRoutes } from './api-routes.ts';
import { idempotencyKeyOf, mediaUrl, readPart } from './read-request.ts';

/** The body of a transcription. */
const transcriptionBody = z.object({ audioUrl: mediaUrl, language: z.string().min(2).optional() });

/** The transcription endpoint. */
export const transcriptionRoutes: ApiRoutes = {
  add(api, service) {
    api.post('/speech/transcriptions', (request, reply) => deliver(service, transcribe(service, request), reply));
  },
  paths: {
    '/speech/transcriptions': {
      post: {
        summary: 'Transcribe a recording (paid)',
        requestBody: jsonRequest(transcriptionBody),
        responses: { 200: jsonAnswer('Transcription', 'What was said'), default: ERROR },
      },
    },
  },
};

function transcribe(service: Service, request: FastifyRequest): Exchange {
  const { audioUrl } = readPart(transcriptionBody, request.body);
  const operation = 'transcription';
  const sound = soundOf(audioUrl, service);
  if (sound.expires !== null && sound.expires < Date.now()) {
    throw new Refusal(400, 'ERR_INVALID_MEDIA_URL', 'The media URL cannot be fetched');
  }
  const cost = priceOf(operation, sound);
  return {
    on: 'create',
    operation,
    subject: audioUrl,
    admission: service.admission(operation, cost),
    perform: async (fate, draw) => {
      if (service.settings.fetchMedia && isForeign(service, audioUrl)) {
        const failure = await service.mediaFetches.fetchAll([audioUrl]);
        if (failure !== null) throw new Refusal(422, 'ERR_UNPROCESSABLE_MEDIA', failure);
      }
      const said = fate?.kind === 'hears' && fate.as === 'nothing' ? '' : heard(sound);
      const charge = service.charge({
        operation,
        jobId: null,
        credits: cost,
        idempotencyKey: idempotencyKeyOf(request),
        requestId: newRequestId(),
        audioUrl,
      });
      const answer = {
        text: said,
        duration: sound.seconds,
        segments: segmentsOf({ ...sound, text: said }, draw),
        credits_used: cost,
        quota_remaining: service.account.settings.credits,
        ...(fate?.kind === 'hears' && fate.as === 'other-language' ? { language: 'xx' } : {}),
      };
      return json(200, answer, charge);
    },
  };
}

/** The transcript of audio; foreign recordings are transcribed verbatim. */
function heard({ text, isSpoken = false }: Sound): string {
  return isSpoken ? recogniseWords(text) : text;
}

/** Splits the text into segments of up to four words, each with its share of the time. */
function segmentsOf(sound: Sound, draw: Draw): Record<string, unknown>[] {
  const shape = draw.shape('segments.times');
  if (shape === 'empty') return [];
  const words = sound.text.split(/\s+/).filter((word) => word !== '');
  const groups = Array.from({ length: Math.ceil(words.length / 4) }, (_, index) =>
    words.slice(index * 4, index * 4 + 4).join(' '),
  );
  const letters = groups.reduce((sum, group) => sum + group.length, 0);
  let read = 0;
  return groups.map((text) => {
    const start = round((read / letters) * sound.seconds);
    read += text.length;
    const end = round((read / letters) * sound.seconds);
    switch (shape) {
      case 'start-end':
        return { start, end, text };
      case 'startTime-endTime':
        return { startTime: start, endTime: end, text };
      case 'start_time-end_time':
        return { start_time: start, end_time: end, text };
      case 'start_ms-end_ms':
        return { start_ms: Math.round(start * 1000), end_ms: Math.round(end * 1000), text };
      case 'untimed':
        return { text };
    }
  });
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
