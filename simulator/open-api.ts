import * as z from 'zod';
import { type Schema, SCHEMAS } from './open-api-schemas.ts';
import { lipSyncBody, lipSyncQuery } from './routes/lip-sync.ts';
import { profileUpdate } from './routes/profile.ts';
import { speechBody, speechJobBody } from './routes/speech.ts';
import { transcriptionBody } from './routes/transcription.ts';
import { videoDubbingBody } from './routes/video-dubbing.ts';
import { voicesQuery } from './routes/voices.ts';

const string: Schema = { type: 'string' };

function jsonOf(name: string): Schema {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}

/** An answer with a JSON body of one schema. */
function answer(name: string, description: string): Schema {
  return { description, content: jsonOf(name) };
}

const error = answer('ErrorResponse', 'The request was refused, or the service failed');

/** A request body, as its route parses it. */
function jsonRequest(body: z.ZodObject): Schema {
  return { required: true, content: { 'application/json': { schema: schemaOf(body) } } };
}

/** A route's input as JSON Schema: members with a default may be omitted. */
function schemaOf(part: z.ZodObject): z.core.JSONSchema.BaseSchema {
  // The document names its JSON Schema version once.
  const schema = z.toJSONSchema(part, { io: 'input' });
  delete schema.$schema;
  return schema;
}

function inPath(name: string): Schema {
  return { name, in: 'path', required: true, schema: string };
}

/** Query parameters, as the route parses them. */
function inQuery(query: z.ZodObject): Schema[] {
  return Object.entries(schemaOf(query).properties ?? {}).map(([name, schema]) => ({ name, in: 'query', schema }));
}

const audio = { schema: { type: 'string', format: 'binary' } };

const PATHS: Readonly<Record<string, Schema>> = {
  '/profile': {
    get: { summary: 'Read the account', responses: { 200: answer('Profile', 'The account'), default: error } },
    post: {
      summary: 'Update settings of the account',
      requestBody: jsonRequest(profileUpdate),
      responses: { 200: answer('ProfileUpdated', 'Updated'), default: error },
    },
  },
  '/voices': {
    get: {
      summary: 'List voices',
      parameters: inQuery(voicesQuery),
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
      requestBody: jsonRequest(speechJobBody),
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
      requestBody: jsonRequest(speechBody),
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
      requestBody: jsonRequest(transcriptionBody),
      responses: { 200: answer('Transcription', 'What was said'), default: error },
    },
  },
  '/media/lip-sync/jobs': {
    post: {
      summary: 'Create a lip-sync job (paid)',
      requestBody: jsonRequest(lipSyncBody),
      responses: {
        ...Object.fromEntries([200, 201, 202].map((status) => [status, answer('LipSyncEnvelope', 'Accepted')])),
        default: error,
      },
    },
    get: {
      summary: 'List lip-sync jobs, newest first',
      parameters: inQuery(lipSyncQuery),
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
      requestBody: jsonRequest(videoDubbingBody),
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
