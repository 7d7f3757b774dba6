import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { deliver, type Exchange } from '../deliver.ts';
import { listen, speechOf } from '../media-result.ts';
import { priceOf } from '../price-request.ts';
import { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import { createVideoJob, readVideoJob } from '../video-job.ts';
import { idempotencyKeyOf, mediaUrl, readPart, spokenText } from './read-request.ts';

/** The body of a video-dubbing create. */
export const videoDubbingBody = z.object({
  video_url: mediaUrl,
  text: spokenText,
  reference_id: z.string().min(1),
});

const operation = 'video-dubbing-job';

/** Adds the video-dubbing endpoints: speech and lip-sync in one job, without a list. */
export function addVideoDubbingRoutes(api: FastifyInstance, service: Service): void {
  const path = '/media/video-dubbing/jobs';
  api.post(path, (request, reply) => deliver(service, create(service, request), reply));
  api.get<{ Params: { id: string } }>(`${path}/:id`, (request, reply) =>
    deliver(service, readVideoJob(service, operation, request.params.id), reply),
  );
}

function create(service: Service, request: FastifyRequest): Exchange {
  const { video_url: videoUrl, text, reference_id: voiceId } = readPart(videoDubbingBody, request.body);
  if (!service.voices.has(voiceId)) throw new Refusal(400, 'ERR_VOICE_NOT_FOUND', 'Voice not found');
  // Only to refuse a link of our own that does not exist: the result is as long as its speech.
  listen(videoUrl, service);
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
