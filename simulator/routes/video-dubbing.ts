import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { deliver, type Exchange } from '../deliver.ts';
import { soundOf, speechOf } from '../media-result.ts';
import { ERROR, inPath, jsonAnswer, jsonRequest } from '../open-api-parts.ts';
import { priceOf } from '../price-request.ts';
import type { Service } from '../service.ts';
import { createVideoJob, readVideoJob } from '../video-job.ts';
import type { ApiRoutes } from './api-routes.ts';
import { idempotencyKeyOf, mediaUrl, readPart, spokenText } from './read-request.ts';

/** The body of a video-dubbing create. */
const videoDubbingBody = z.object({
  video_url: mediaUrl,
  text: spokenText,
  reference_id: z.string().min(1),
});

const operation = 'video-dubbing-job';

/** The video-dubbing endpoints: speech and lip-sync in one job, without a list. */
export const videoDubbingRoutes: ApiRoutes = {
  add(api, service) {
    const path = '/media/video-dubbing/jobs';
    api.post(path, (request, reply) => deliver(service, create(service, request), reply));
    api.get<{ Params: { id: string } }>(`${path}/:id`, (request, reply) =>
      deliver(service, readVideoJob(service, operation, request.params.id), reply),
    );
  },
  paths: {
    '/media/video-dubbing/jobs': {
      post: {
        summary: 'Create a video-dubbing job: speech and lip-sync in one (paid)',
        requestBody: jsonRequest(videoDubbingBody),
        responses: {
          ...Object.fromEntries([200, 201, 202].map((status) => [status, jsonAnswer('LipSyncEnvelope', 'Accepted')])),
          default: ERROR,
        },
      },
    },
    '/media/video-dubbing/jobs/{jobId}': {
      get: {
        summary: 'Read a video-dubbing job',
        parameters: [inPath('jobId')],
        responses: { 200: jsonAnswer('LipSyncEnvelope', 'The job'), default: ERROR },
      },
    },
  },
};

function create(service: Service, request: FastifyRequest): Exchange {
  const { video_url: videoUrl, text, reference_id: voiceId } = readPart(videoDubbingBody, request.body);
  service.checkText(text);
  service.checkVoice(voiceId);
  // Called only to refuse a link of our own that does not exist; the result is as long as its speech.
  soundOf(videoUrl, service);
  const sound = speechOf(text, voiceId, 'mp3');
  return createVideoJob(service, {
    operation,
    cost: priceOf(operation, sound),
    subject: `${videoUrl} ${text}`,
    sound,
    inputs: { text, voiceId, videoUrl },
    idempotencyKey: idempotencyKeyOf(request),
    message: 'Video dubbing job created',
  });
}
