import { STATUS_WORDS } from './job-status.ts';
import { AUDIO_FORMATS } from './media/render-audio.ts';
import {
  INTEGER as integer,
  LINK as link,
  NUMBER as number,
  object,
  reference,
  type Schema,
  TEXT as string,
  TIME as time,
} from './schema-parts.ts';

export type { Schema } from './schema-parts.ts';

const status: Schema = { type: 'string', enum: STATUS_WORDS };

/** Why a job failed, under any of the names in use. */
const failure: Readonly<Record<string, Schema>> = {
  error_message: string,
  errorMessage: string,
  message: string,
  code: string,
  error: { anyOf: [string, object({ code: string, message: string })] },
};

/** Id under one of its names, and status. */
const identified: Schema = {
  anyOf: ['id', 'taskId', 'task_id'].map((name) =>
    object({ [name]: { type: 'string', format: 'uuid' }, status }, failure),
  ),
};

const voice: Schema = {
  allOf: [
    object(
      { provider: string },
      {
        description: string,
        modelIds: { type: 'array', items: string },
        status: string,
        state: string,
        trained: { type: 'boolean' },
      },
    ),
    { anyOf: [object({ id: string }), object({ voiceId: string })] },
    { anyOf: [object({ name: string }), object({ title: string })] },
  ],
};

const credits = { creditsUsed: integer, quotaRemaining: integer };

const lipSyncJob = object(
  { id: { type: 'string', format: 'uuid' }, status, credits_used: number },
  {
    ...failure,
    remaining_credits: number,
    created_at: time,
    createdAt: time,
    progress: { type: 'integer', minimum: 0, maximum: 100 },
    billing_duration_seconds: number,
    result_url: link,
    resultUrl: link,
    videoUrl: link,
    audioUrl: link,
    video_url: link,
    audio_url: link,
  },
);

const page = { page: integer, limit: integer, total: integer };

/** The bodies of the API, with every variant that the simulator sends. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  ErrorResponse: {
    anyOf: [
      object({ code: string, message: string }, { requestId: string, retryable: { type: 'boolean' } }),
      object({ error: string }, { details: string, code: string }),
    ],
  },
  Profile: object(
    { user_id: string, api_quota_remaining: number, tier: string, credits: number },
    {
      webhookUrl: { type: ['string', 'null'] },
      webhook_url: { type: ['string', 'null'] },
      displayName: string,
      newsletter: { type: 'boolean' },
      billing_model: string,
    },
  ),
  ProfileUpdated: { anyOf: [reference('Profile'), object({ success: { const: true } })] },
  Voice: voice,
  VoiceList: {
    anyOf: [
      object(
        { page: integer, pageSize: integer, items: { type: 'array', items: reference('Voice') } },
        { total: integer, totalPages: integer },
      ),
      { type: 'array', items: reference('Voice') },
    ],
  },
  VoiceCreated: {
    anyOf: [reference('Voice'), object({ voice: reference('Voice') }), object({ modelId: string, title: string })],
  },
  VoiceDeleted: object({ success: { const: true }, message: string }),
  SpeechTask: {
    anyOf: [
      { allOf: [identified, object({}, { audioUrl: link, ...credits })] },
      object(
        { task: { allOf: [identified, object({}, { audioUrl: link, credits_used: integer })] } },
        { audioUrl: link },
      ),
      {
        allOf: [
          object(
            {
              task: object({}, { audioUrl: link }),
              record: object({ createdAt: time }, { audioUrl: link }),
              requestId: string,
            },
            { audioUrl: link, ...credits },
          ),
          { anyOf: [object({ task: identified }), object({ record: identified })] },
        ],
      },
    ],
  },
  CachedSpeech: object(
    { audio_url: link, credits_used: number, quota_remaining: number },
    {
      success: { const: true },
      format: { type: 'string', enum: [...AUDIO_FORMATS] },
      characters_used: integer,
      expires_at: time,
    },
  ),
  Transcription: object({
    text: string,
    duration: number,
    credits_used: number,
    quota_remaining: number,
    segments: {
      type: 'array',
      items: {
        anyOf: [
          object({ text: string, start: number, end: number }),
          object({ text: string, startTime: number, endTime: number }),
          object({ text: string, start_time: number, end_time: number }),
          object({ text: string, start_ms: integer, end_ms: integer }),
          { ...object({ text: string }), maxProperties: 1 },
        ],
      },
    },
  }),
  LipSyncJob: lipSyncJob,
  LipSyncEnvelope: object({ success: { const: true }, data: reference('LipSyncJob') }, { message: string }),
  LipSyncList: object(
    {
      success: { const: true },
      data: {
        allOf: [
          object({
            pagination: {
              anyOf: [
                object({ ...page, total_pages: integer, has_more: { type: 'boolean' } }),
                object({ ...page, totalPages: integer, hasMore: { type: 'boolean' } }),
              ],
            },
          }),
          {
            anyOf: ['tasks', 'items', 'jobs'].map((name) =>
              object({ [name]: { type: 'array', items: reference('LipSyncJob') } }),
            ),
          },
        ],
      },
    },
    { message: string },
  ),
};
