import { AUDIO_FORMATS } from '../media/render-audio.ts';
import { BOOLEAN, INTEGER, LINK, NUMBER, object, reference, type Schema, TEXT, TIME } from '../schema-parts.ts';

const id: Schema = { type: 'string', format: 'uuid' };
const status: Schema = { type: 'string', enum: ['pending', 'processing', 'completed', 'failed'] };

/** The bodies of the legacy paths. */
export const LEGACY_SCHEMAS: Readonly<Record<string, Schema>> = {
  ErrorResponse: object({ error: TEXT }, { details: TEXT, code: TEXT }),
  LegacyProfile: object({ user_id: TEXT, api_quota_remaining: NUMBER, tier: TEXT, credits: NUMBER }),
  LegacyModel: object({
    modelId: TEXT,
    title: TEXT,
    description: TEXT,
    created_at: TIME,
    updated_at: TIME,
    isPersonal: BOOLEAN,
  }),
  LegacyModelList: object({
    total: INTEGER,
    page: INTEGER,
    pageSize: INTEGER,
    totalPages: INTEGER,
    items: { type: 'array', items: reference('LegacyModel') },
  }),
  LegacyModelCreated: object({ modelId: TEXT, title: TEXT, description: TEXT, createdAt: TIME, message: TEXT }),
  LegacyModelDeleted: object({ modelId: TEXT, message: TEXT }),
  LegacyCachedSpeech: object({
    success: { const: true },
    audio_url: LINK,
    format: { type: 'string', enum: [...AUDIO_FORMATS] },
    characters_used: INTEGER,
    quota_remaining: NUMBER,
  }),
  LegacyLipSyncCreated: object({
    success: { const: true },
    message: TEXT,
    data: object({ id, status, created_at: TIME, credits_used: NUMBER, remaining_credits: NUMBER }),
  }),
  LegacyLipSyncTask: object(
    {
      id,
      status,
      progress: { type: 'integer', minimum: 0, maximum: 100 },
      credits_used: NUMBER,
      created_at: TIME,
      updated_at: TIME,
    },
    { completed_at: TIME, result_url: LINK, error_message: TEXT, video_url: LINK, audio_url: LINK },
  ),
  LegacyLipSyncEnvelope: object({ success: { const: true }, data: reference('LegacyLipSyncTask') }),
  LegacyLipSyncList: object({
    success: { const: true },
    data: object({
      tasks: { type: 'array', items: reference('LegacyLipSyncTask') },
      pagination: object({
        page: INTEGER,
        limit: INTEGER,
        total: INTEGER,
        total_pages: INTEGER,
        has_more: BOOLEAN,
      }),
      statistics: object({
        total: INTEGER,
        pending: INTEGER,
        processing: INTEGER,
        completed: INTEGER,
        failed: INTEGER,
      }),
    }),
  }),
};
