import { type Schema, SCHEMAS } from './open-api-schemas.ts';
import { AUDIO_FORMATS } from './media/render-audio.ts';

const string: Schema = { type: 'string' };
const link: Schema = { type: 'string', format: 'uri' };

function jsonOf(name: string): Schema {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}

/** An answer with a JSON body of one schema. */
function answer(name: string, description: string): Schema {
  return { description, content: jsonOf(name) };
}

const error = answer('ErrorResponse', 'The request was refused, or the service failed');

function jsonRequest(required: readonly string[], properties: Readonly<Record<string, Schema>>): Schema {
  return { required: true, content: { 'application/json': { schema: { type: 'object', required, properties } } } };
}

function inPath(name: string): Schema {
  return { name, in: 'path', required: true, schema: string };
}

function inQuery(names: readonly string[], type: 'string' | 'integer'): Schema[] {
  return names.map((name) => ({ name, in: 'query', schema: { type } }));
}

const speechInput = {
  text: string,
  voiceId: string,
  engineModelId: string,
  format: { type: 'string', enum: [...AUDIO_FORMATS], default: 'mp3' },
  speed: { type: 'number', minimum: 0.5, maximum: 2 },
  volume: { type: 'number', minimum: -20, maximum: 20 },
  language: string,
};

const audio = { schema: { type: 'string', format: 'binary' } };

const PATHS: Readonly<Record<string, Schema>> = {
  '/profile': {
    get: { summary: 'Read the account', responses: { 200: answer('Profile', 'The account'), default: error } },
    post: {
      summary: 'Update settings of the account',
      requestBody: jsonRequest(['webhookUrl'], { webhookUrl: link }),
      responses: { 200: answer('ProfileUpdated', 'Updated'), default: error },
    },
  },
  '/voices': {
    get: {
      summary: 'List voices',
      parameters: [
        ...inQuery(['provider', 'search'], 'string'),
        ...inQuery(['limit', 'offset', 'page', 'pageSize'], 'integer'),
      ],
      responses: { 200: answer('VoiceList', 'A page of voices'), default: error },
    },
    post: {
      summary: 'Create a voice from recordings',
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['name', 'audioFiles'],
              properties: { name: string, description: string, audioFiles: { type: 'array', items: audio.schema } },
            },
          },
        },
      },
      responses: { 200: answer('VoiceCreated', 'Created'), 201: answer('VoiceCreated', 'Created'), default: error },
    },
  },
  '/voices/{voiceId}': {
    delete: {
      summary: 'Delete a voice of the account',
      parameters: [inPath('voiceId')],
      responses: {
        200: answer('VoiceDeleted', 'Deleted; the body may be empty'),
        204: { description: 'Deleted' },
        default: error,
      },
    },
  },
  '/speech/tts/jobs': {
    post: {
      summary: 'Create a speech job (paid)',
      requestBody: jsonRequest(['text', 'voiceId'], speechInput),
      responses: { 202: answer('SpeechTask', 'Accepted'), default: error },
    },
  },
  '/speech/tts/jobs/{taskId}': {
    get: {
      summary: 'Read a speech job',
      parameters: [inPath('taskId')],
      responses: { 200: answer('SpeechTask', 'The job'), default: error },
    },
  },
  '/speech/tts': {
    post: {
      summary: 'Speak at once (paid)',
      requestBody: jsonRequest(['text'], { ...speechInput, reference_id: string, cache: { type: 'boolean' } }),
      responses: {
        200: {
          description: 'The audio, or with `cache` a link to it',
          content: {
            ...jsonOf('CachedSpeech'),
            ...Object.fromEntries(
              ['audio/mpeg', 'audio/wav', 'audio/x-wav', 'audio/wave', 'audio/pcm'].map((type) => [type, audio]),
            ),
          },
        },
        default: error,
      },
    },
  },
  '/speech/transcriptions': {
    post: {
      summary: 'Transcribe a recording (paid)',
      requestBody: jsonRequest(['audioUrl'], { audioUrl: link, language: string }),
      responses: { 200: answer('Transcription', 'What was said'), default: error },
    },
  },
  '/media/lip-sync/jobs': {
    post: {
      summary: 'Create a lip-sync job (paid)',
      requestBody: jsonRequest(['videoUrl', 'audioUrl'], { videoUrl: link, audioUrl: link }),
      responses: {
        ...Object.fromEntries([200, 201, 202].map((status) => [status, answer('LipSyncEnvelope', 'Accepted')])),
        default: error,
      },
    },
    get: {
      summary: 'List lip-sync jobs, newest first',
      parameters: [...inQuery(['page', 'limit'], 'integer'), ...inQuery(['status'], 'string')],
      responses: { 200: answer('LipSyncList', 'A page of jobs'), default: error },
    },
  },
  '/media/lip-sync/jobs/{jobId}': {
    get: {
      summary: 'Read a lip-sync job',
      parameters: [inPath('jobId')],
      responses: { 200: answer('LipSyncEnvelope', 'The job'), default: error },
    },
  },
  '/media/video-dubbing/jobs': {
    post: {
      summary: 'Create a video-dubbing job: speech and lip-sync in one (paid)',
      requestBody: jsonRequest(['video_url', 'text', 'reference_id'], {
        video_url: link,
        text: string,
        reference_id: string,
      }),
      responses: {
        ...Object.fromEntries([200, 201, 202].map((status) => [status, answer('LipSyncEnvelope', 'Accepted')])),
        default: error,
      },
    },
  },
  '/media/video-dubbing/jobs/{jobId}': {
    get: {
      summary: 'Read a video-dubbing job',
      parameters: [inPath('jobId')],
      responses: { 200: answer('LipSyncEnvelope', 'The job'), default: error },
    },
  },
};

/** What `GET /api/openapi.json` serves: OpenAPI 3.1 of everything the simulator answers when no fault is planned. */
export function openApiDocument(): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Speech, voice and lip-sync API (simulated)',
      version: '1.0.0',
      description: 'A local stand-in. Bodies with several variants are sent in all of them.',
    },
    servers: [{ url: '/api/open/v1' }],
    security: [{ token: [] }],
    paths: PATHS,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } }, schemas: SCHEMAS },
  };
}
