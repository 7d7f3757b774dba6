import { REQUEST_FIELDS } from '../../contract/request-fields.ts';
import type { ResultNames } from '../read-job.ts';
import { asText, firstOf, objectsAt } from '../read-members.ts';
import { readTranscript } from '../read-transcript.ts';
import { readVoiceId } from '../voices/read-voice.ts';
import {
  bodyOf,
  jobAt,
  listAt,
  need,
  type DirectClient,
  type OperationClients,
  type Reply,
} from './operation-client.ts';
import { get } from '../free-request.ts';

/** The API's paid operations on the wire: path, request body, and where the answer has its result, by dialect. */

/** On the job itself, `videoUrl` and `audioUrl` usually repeat the inputs; inside a result object they are results. */
const VIDEO_RESULT: ResultNames = {
  names: ['result_url', 'resultUrl', 'output_url', 'outputUrl', 'resultVideoUrl', 'result_video_url'],
  inResult: ['url', 'videoUrl', 'video_url'],
  asInput: ['videoUrl', 'video_url'],
  audioInput: ['audioUrl', 'audio_url'],
};

const FIELDS = REQUEST_FIELDS.v1;

/**
 * The paid operations of the current paths. A new operation needs an entry here and in {@link LEGACY_CLIENTS}, and in
 * `contract/` those that `contract/operations.ts` names.
 */
export const V1_CLIENTS: OperationClients<'v1'> = {
  'speech-job': jobAt('/speech/tts/jobs', bodyOf(FIELDS['speech-job']), {
    names: ['result_url', 'resultUrl', 'audioUrl', 'audio_url', 'output_url', 'outputUrl'],
    inResult: ['url'],
  }),

  // The answer is the speech itself, or with the API's cache JSON with a short-lived link.
  'speech-sync': {
    path: '/speech/tts',
    answersMedia: true,
    answersJob: false,
    body: bodyOf(FIELDS['speech-sync']),
    reply: readSpeechLink,
  },

  transcription: {
    path: '/speech/transcriptions',
    answersMedia: false,
    answersJob: false,
    body: bodyOf(FIELDS.transcription),
    reply(json) {
      const transcript = readTranscript(json);
      return transcript === undefined ? undefined : { type: 'transcript', transcript };
    },
  },

  'lip-sync-job': {
    ...jobAt('/media/lip-sync/jobs', bodyOf(FIELDS['lip-sync-job']), VIDEO_RESULT),
    list: listAt('/media/lip-sync/jobs'),
  },

  'video-dubbing-job': jobAt('/media/video-dubbing/jobs', bodyOf(FIELDS['video-dubbing-job']), VIDEO_RESULT),

  voice: voiceAt('/voices', FIELDS.voice),
};

/** Returns the client of the operation that creates a voice from recordings. */
function voiceAt(path: string, fields: typeof FIELDS.voice): DirectClient {
  return {
    path,
    answersMedia: false,
    answersJob: false,
    body: bodyOf(fields, { language: (languages) => languages.split(/[\s,;]+/).filter(Boolean) }),
    upload: {
      part: fields.samples,
      files: (request) => need(request.spec.samples, request, 'samples'),
    },
    reply(json) {
      const voiceId = readVoiceId(json);
      return voiceId === undefined ? undefined : { type: 'voice', voiceId };
    },
  };
}

/** Reads the link to speech from an answer that has a link in place of the media. */
function readSpeechLink(json: unknown): Reply | undefined {
  const url = firstOf(objectsAt(json, ['', 'data', 'result', 'data.result']), ['audio_url', 'audioUrl'], asText);
  return url === undefined ? undefined : { type: 'link', url };
}

const LEGACY_FIELDS = REQUEST_FIELDS.legacy;
const LEGACY_QUERY = '/api/open/lip-sync/query';

/** The paid operations of the legacy paths; null for those that they lack. */
export const LEGACY_CLIENTS: OperationClients<'legacy'> = {
  'speech-job': null,

  'speech-sync': {
    path: '/api/open/tts',
    answersMedia: true,
    answersJob: false,
    body: bodyOf(LEGACY_FIELDS['speech-sync']),
    reply: readSpeechLink,
  },

  transcription: null,

  'lip-sync-job': {
    ...jobAt('/api/open/lip-sync/create', bodyOf(LEGACY_FIELDS['lip-sync-job']), VIDEO_RESULT),
    read: (jobId) => get(LEGACY_QUERY, { id: jobId }, LEGACY_QUERY),
    list: listAt('/api/open/lip-sync/list'),
  },

  'video-dubbing-job': null,

  voice: voiceAt('/api/open/create-model', LEGACY_FIELDS.voice),
};
