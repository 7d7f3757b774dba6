import { readJobId } from '../read-job.ts';
import type { JobOperationClient } from './operation-client.ts';
import { speechBody } from './speech-body.ts';

/** Speech as an asynchronous job. */
export const speechJob: JobOperationClient = {
  path: '/speech/tts/jobs',
  answersMedia: false,
  answersJob: true,
  body: speechBody,
  reply(json) {
    const jobId = readJobId(json);
    return jobId === undefined ? undefined : { gave: 'job', jobId };
  },
  results: {
    names: ['result_url', 'resultUrl', 'audioUrl', 'audio_url', 'output_url', 'outputUrl'],
    inResult: ['url'],
  },
};
