import * as z from 'zod';
import { type Answer, json } from '../answer.ts';
import { deliver, type Exchange } from '../deliver.ts';
import { ERROR, jsonAnswer, jsonRequest, voiceForm } from '../open-api-parts.ts';
import type { ApiRoutes } from '../routes/api-routes.ts';
import { optionalBody, readPart } from '../routes/read-request.ts';
import { createVoice, refuseInUse } from '../routes/voices.ts';
import type { Service } from '../service.ts';
import type { StoredVoice } from '../voices.ts';

const listBody = z.object({
  modelType: z.enum(['public', 'personal', 'all']).default('all'),
  includePersonal: z.boolean().default(true),
  page: z.number().int().min(1).default(1),
  pageSize: z.number().int().min(1).max(100).default(20),
});
const deleteBody = z.object({ modelId: z.string().min(1) });

const target = { dialect: 'legacy', on: 'list', operation: null, subject: '' } as const;

/** The voices on the legacy paths, where they are called models. */
export const legacyModelRoutes: ApiRoutes = {
  add(api, service) {
    api.post('/list-models', (request, reply) => deliver(service, list(service, optionalBody(request)), reply));
    api.post('/create-model', (request, reply) =>
      deliver(service, createVoice(service, request, { dialect: 'legacy', show: showCreated }), reply),
    );
    api.post('/delete-model', (request, reply) => deliver(service, remove(service, request.body), reply));
  },
  paths: {
    '/api/open/list-models': {
      post: {
        summary: 'List voices',
        requestBody: { ...jsonRequest(listBody), required: false },
        responses: { 200: jsonAnswer('LegacyModelList', 'A page of voices'), default: ERROR },
      },
    },
    '/api/open/create-model': {
      post: {
        summary: 'Create a voice from recordings (paid)',
        requestBody: voiceForm(),
        responses: { 200: jsonAnswer('LegacyModelCreated', 'Created'), default: ERROR },
      },
    },
    '/api/open/delete-model': {
      post: {
        summary: 'Delete a voice of the account',
        requestBody: jsonRequest(deleteBody),
        responses: { 200: jsonAnswer('LegacyModelDeleted', 'Deleted'), default: ERROR },
      },
    },
  },
};

function list(service: Service, body: unknown): Exchange {
  const { modelType, includePersonal, page, pageSize } = readPart(listBody, body);
  return {
    ...target,
    perform: () => {
      const wanted = service.voices.list(null, null).filter(({ personal }) => {
        if (modelType === 'all') return includePersonal || !personal;
        return personal === (modelType === 'personal');
      });
      return json(200, {
        total: wanted.length,
        page,
        pageSize,
        totalPages: Math.ceil(wanted.length / pageSize),
        items: wanted.slice((page - 1) * pageSize, page * pageSize).map(modelMembers),
      });
    },
  };
}

function remove(service: Service, body: unknown): Exchange {
  const { modelId } = readPart(deleteBody, body);
  return {
    ...target,
    on: 'delete',
    subject: modelId,
    perform: () => {
      refuseInUse(service, modelId);
      service.voices.delete(modelId);
      return json(200, { modelId, message: 'Model deleted' });
    },
  };
}

function showCreated({ id, name, description }: StoredVoice): Answer {
  const createdAt = new Date().toISOString();
  return json(200, { modelId: id, title: name, description, createdAt, message: 'Model created' });
}

/** When the samples were made. */
const LONG_AGO = Date.UTC(2024, 0, 1);

function modelMembers({ id, name, description, personal, madeAt = LONG_AGO }: StoredVoice): Record<string, unknown> {
  const at = new Date(madeAt).toISOString();
  return {
    modelId: id,
    title: name,
    description,
    created_at: at,
    updated_at: at,
    isPersonal: personal,
  };
}
