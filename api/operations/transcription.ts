import { readTranscript } from '../read-transcript.ts';
import { bodyOf, need, type OperationClient } from './operation-client.ts';

/** Speech to text, in the answer itself. */
export const transcription: OperationClient = {
  path: '/speech/transcriptions',
  answersMedia: false,
  answersJob: false,
  body(request) {
    const { spec, operation } = request;
    return bodyOf({ audioUrl: need(spec.audio, operation, 'the URL of an audio'), language: spec.language }, request);
  },
  reply(json) {
    const transcript = readTranscript(json);
    return transcript === undefined ? undefined : { gave: 'transcript', transcript };
  },
};
