import type { JsonValue } from '../../contract/row-kinds.ts';
import type { ResultNames } from '../read-job.ts';
import { asText, firstOf, objectsAt } from '../read-members.ts';
import { readTranscript } from '../read-transcript.ts';
import { readVoiceId } from '../read-voice.ts';
import type { PaidRequest } from '../speech-api.ts';
import {
  bodyOf,
  jobAt,
  listAt,
  need,
  type DirectClient,
  type OperationClients,
  type Reply,
} from './operation-client.ts';

/** On the job itself, `videoUrl` and `audioUrl` repeat the inputs; inside a result object they are results. */
export const VIDEO_RESULT: ResultNames = {
  names: ['result_url', 'resultUrl', 'output_url', 'outputUrl', 'resultVideoUrl', 'result_video_url'],
  inResult: ['url', 'videoUrl', 'video_url'],
};

/**
 * Every paid operation on the wire. A new one needs an entry here, one in `legacy-clients.ts` and one in
 * `contract/operations.ts`.
 */
export const V1_CLIENTS: OperationClients<'v1'> = {
  'speech-job': jobAt('/speech/tts/jobs', speechBody, {
    names: ['result_url', 'resultUrl', 'audioUrl', 'audio_url', 'output_url', 'outputUrl'],
    inResult: ['url'],
  }),

  // The answer is the speech itself, or with the API's cache JSON with a short-lived link.
  'speech-sync': {
    path: '/speech/tts',
    answersMedia: true,
    answersJob: false,
    body: speechBody,
    reply: readSpeechLink,
  },

  transcription: {
    path: '/speech/transcriptions',
    answersMedia: false,
    answersJob: false,
    body: ({ spec, operation }) =>
      bodyOf({ audioUrl: need(spec.audio, operation, 'the URL of an audio'), language: spec.language }, spec),
    reply(json) {
      const transcript = readTranscript(json);
      return transcript === undefined ? undefined : { type: 'transcript', transcript };
    },
  },

  'lip-sync-job': {
    ...jobAt(
      '/media/lip-sync/jobs',
      ({ spec, operation }) =>
        bodyOf(
          {
            videoUrl: need(spec.video, operation, 'the URL of a video'),
            audioUrl: need(spec.audio, operation, 'the URL of an audio track'),
          },
          spec,
        ),
      VIDEO_RESULT,
    ),
    list: listAt('/media/lip-sync/jobs'),
  },

  'video-dubbing-job': jobAt(
    '/media/video-dubbing/jobs',
    ({ spec, operation }) =>
      bodyOf(
        {
          video_url: need(spec.video, operation, 'the URL of a video'),
          text: need(spec.text, operation, 'a text'),
          reference_id: need(spec.voice, operation, 'a voice'),
        },
        spec,
      ),
    VIDEO_RESULT,
  ),

  voice: voiceAt('/voices'),
};

/** A paid operation that makes a voice of recordings. */
export function voiceAt(path: string): DirectClient {
  return {
    path,
    answersMedia: false,
    answersJob: false,
    body: ({ spec, operation }) =>
      bodyOf(
        {
          name: need(spec.name, operation, 'a name'),
          description: spec.description,
          visibility: spec.visibility,
          referenceText: spec.transcript,
          languages: spec.language === undefined ? undefined : spec.language.split(/[\s,;]+/).filter(Boolean),
        },
        spec,
      ),
    upload: {
      part: 'audioFiles',
      files: ({ spec, operation }) => need(spec.samples, operation, 'a recording'),
    },
    reply(json) {
      const voiceId = readVoiceId(json);
      return voiceId === undefined ? undefined : { type: 'voice', voiceId };
    },
  };
}

/** The link to speech in place of its bytes. */
export function readSpeechLink(json: unknown): Reply | undefined {
  const url = firstOf(objectsAt(json, ['', 'data', 'result', 'data.result']), ['audio_url', 'audioUrl'], asText);
  return url === undefined ? undefined : { type: 'link', url };
}

/** Fields of a speech request, the same for both speech operations. The API ignores fields that an engine lacks. */
function speechBody({ spec, operation }: PaidRequest): Readonly<Record<string, JsonValue>> {
  return bodyOf(
    {
      text: need(spec.text, operation, 'a text'),
      voiceId: need(spec.voice, operation, 'a voice'),
      engineModelId: spec.engine,
      format: spec.format,
      speed: spec.speed,
      language: spec.language,
    },
    spec,
  );
}
