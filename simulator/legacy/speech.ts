import * as z from 'zod';
import { deliver } from '../deliver.ts';
import { AUDIO_FORMATS } from '../media/render-audio.ts';
import { jsonRequest, speechAnswers } from '../open-api-parts.ts';
import type { ApiRoutes } from '../routes/api-routes.ts';
import { idempotencyKeyOf, readPart, spokenText } from '../routes/read-request.ts';
import { speakSynchronously } from '../synchronous-speech.ts';

const name = z.string().min(1);
const speechBody = z.object({
  text: spokenText,
  reference_id: name,
  speed: z.number().min(0.5).max(2).optional(),
  volume: z.number().min(-20).max(20).optional(),
  version: z.enum(['v1', 'v2', 's1', 'v3-turbo', 'v3-hd']).optional(),
  format: z.enum(AUDIO_FORMATS).default('mp3'),
  emotion: name.optional(),
  language: name.optional(),
  cache: z.boolean().default(false),
});

/** Speech on the legacy paths, which is synchronous only. */
export const legacySpeechRoutes: ApiRoutes = {
  add(api, service) {
    api.post('/tts', (request, reply) => {
      const { reference_id: voiceId, ...wanted } = readPart(speechBody, request.body);
      const order = { ...wanted, voiceId, idempotencyKey: idempotencyKeyOf(request) };
      return deliver(service, speakSynchronously(service, order, 'legacy'), reply);
    });
  },
  paths: {
    '/api/open/tts': {
      post: {
        summary: 'Speak at once (paid)',
        requestBody: jsonRequest(speechBody),
        responses: speechAnswers('LegacyCachedSpeech'),
      },
    },
  },
};
