import { get } from '../free-request.ts';
import { readSpeechLink, VIDEO_RESULT, voiceAt } from './clients.ts';
import { bodyOf, jobAt, listAt, need, type OperationClients } from './operation-client.ts';

const QUERY = '/api/open/lip-sync/query';

/** The paid operations on the legacy paths. `null`: they have none such, and a plan says so. */
export const LEGACY_CLIENTS: OperationClients<'legacy'> = {
  'speech-job': null,

  'speech-sync': {
    path: '/api/open/tts',
    answersMedia: true,
    answersJob: false,
    body: ({ spec, operation }) =>
      bodyOf(
        {
          text: need(spec.text, operation, 'a text'),
          reference_id: need(spec.voice, operation, 'a voice'),
          // The older name for what speaks; its values are others, and an unknown one is refused free of charge.
          version: spec.engine,
          format: spec.format,
          speed: spec.speed,
          language: spec.language,
        },
        spec,
      ),
    reply: readSpeechLink,
  },

  transcription: null,

  'lip-sync-job': {
    ...jobAt(
      '/api/open/lip-sync/create',
      ({ spec, operation }) =>
        bodyOf(
          {
            video_url: need(spec.video, operation, 'the URL of a video'),
            audio_url: need(spec.audio, operation, 'the URL of an audio track'),
          },
          spec,
        ),
      VIDEO_RESULT,
    ),
    read: (jobId) => get(QUERY, { id: jobId }, QUERY),
    list: listAt('/api/open/lip-sync/list'),
  },

  'video-dubbing-job': null,

  voice: voiceAt('/api/open/create-model'),
};
