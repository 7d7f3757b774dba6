import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptJob } from '../accept-job.ts';
import { Refusal } from '../answer.ts';
import { deliver, type Exchange } from '../deliver.ts';
import { envelope, jobMembers } from '../media-job-answer.ts';
import { listen, speechOf } from '../media-result.ts';
import { priceOfText } from '../price-request.ts';
import type { Service } from '../service.ts';
import { idempotencyKeyOf, mediaUrl, readPart } from './read-request.ts';

const body = z.object({
  video_url: mediaUrl,
  text: z.string().refine((value) => value.trim() !== ''),
  reference_id: z.string().min(1),
});

const operation = 'video-dubbing-job';

/** Adds the video-dubbing endpoints: speech and lip-sync in one job. It has no list. */
export function addVideoDubbingRoutes(api: FastifyInstance, service: Service): void {
  const path = '/media/video-dubbing/jobs';
  api.post(path, (request, reply) => deliver(service, create(service, request), reply));
  api.get<{ Params: { id: string } }>(`${path}/:id`, (request, reply) =>
    deliver(service, read(service, request.params.id), reply),
  );
}

function create(service: Service, request: FastifyRequest): Exchange {
  const { video_url: videoUrl, text, reference_id: voiceId } = readPart(body, request.body);
  if (!service.voices.has(voiceId)) throw new Refusal(400, 'ERR_VOICE_NOT_FOUND', 'Voice not found');
  // Only to refuse a link of our own that does not exist: the result is as long as its speech.
  listen(videoUrl, service);
  const cost = priceOfText(operation, text);
  const subject = `${videoUrl} ${text}`;
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
        sound: speechOf(text, voiceId, 'mp3'),
        inputs: { text, voiceId, videoUrl },
        idempotencyKey: idempotencyKeyOf(request),
      });
      const status = Number(draw.shape('lip.status'));
      const members = jobMembers(service, job, fate, draw, true);
      return { ...envelope(status, members, 'Video dubbing job created', draw), charge };
    },
  };
}

function read(service: Service, id: string): Exchange {
  const job = service.jobs.find(operation, id);
  return {
    on: 'read',
    operation,
    subject: job?.result.subject ?? '',
    perform: (fate, draw) => {
      if (job === undefined) throw new Refusal(404, 'ERR_NOT_FOUND', 'Job not found');
      return envelope(200, jobMembers(service, job, fate, draw), 'OK', draw);
    },
  };
}
