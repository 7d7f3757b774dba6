import { readJobId } from '../read-job.ts';
import { bodyOf, type JobOperationClient, need } from './operation-client.ts';

/** A video whose lips follow an audio track, as an asynchronous job. */
export const lipSyncJob: JobOperationClient = {
  path: '/media/lip-sync/jobs',
  answersMedia: false,
  answersJob: true,
  body(request) {
    const { spec, operation } = request;
    return bodyOf(
      {
        videoUrl: need(spec.video, operation, 'the URL of a video'),
        audioUrl: need(request.audioUrl ?? spec.audio, operation, 'the URL of an audio track'),
      },
      request,
    );
  },
  reply(json) {
    const jobId = readJobId(json);
    return jobId === undefined ? undefined : { gave: 'job', jobId };
  },
  // `videoUrl` and `audioUrl` of the job itself are echoes of the inputs; inside a result object they are results.
  results: {
    names: ['result_url', 'resultUrl', 'output_url', 'outputUrl', 'resultVideoUrl', 'result_video_url'],
    inResult: ['url', 'videoUrl', 'video_url'],
  },
};
