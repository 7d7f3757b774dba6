import { REQUEST_FIELDS } from '../../contract/request-fields.ts';
import { get } from '../free-request.ts';
import { readSpeechLink, VIDEO_RESULT, voiceAt } from './clients.ts';
import { bodyOf, jobAt, listAt, type OperationClients } from './operation-client.ts';

const FIELDS = REQUEST_FIELDS.legacy;
const QUERY = '/api/open/lip-sync/query';

/** The paid operations on the legacy paths. `null`: they have none such, and a plan says so. */
export const LEGACY_CLIENTS: OperationClients<'legacy'> = {
  'speech-job': null,

  'speech-sync': {
    path: '/api/open/tts',
    answersMedia: true,
    answersJob: false,
    body: bodyOf(FIELDS['speech-sync']),
    reply: readSpeechLink,
  },

  transcription: null,

  'lip-sync-job': {
    ...jobAt('/api/open/lip-sync/create', bodyOf(FIELDS['lip-sync-job']), VIDEO_RESULT),
    read: (jobId) => get(QUERY, { id: jobId }, QUERY),
    list: listAt('/api/open/lip-sync/list'),
  },

  'video-dubbing-job': null,

  voice: voiceAt('/api/open/create-model', FIELDS.voice),
};
