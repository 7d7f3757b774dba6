import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Dialect } from '../../contract/dialects.ts';
import { type Answer, json, newRequestId } from '../answer.ts';
import { deliver, type Exchange } from '../deliver.ts';
import type { Draw } from '../draw.ts';
import { ERROR, inPath, inQuery, jsonAnswer, jsonOf, voiceForm } from '../open-api-parts.ts';
import { priceOf } from '../price-request.ts';
import { Refusal } from '../refusals.ts';
import { checkSamples } from '../sample-check.ts';
import { TEXT } from '../schema-parts.ts';
import type { Service } from '../service.ts';
import { pageOf } from '../voice-list.ts';
import type { StoredVoice } from '../voices.ts';
import { type FormPart, readMultipart } from './read-multipart.ts';
import type { ApiRoutes } from './api-routes.ts';
import { idempotencyKeyOf, readPart } from './read-request.ts';

/** The query of the list of voices. */
const voicesQuery = z.object({
  provider: z.string().min(1).optional(),
  search: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
  offset: z.coerce.number().int().min(0).optional(),
  page: z.coerce.number().int().min(1).optional(),
  pageSize: z.coerce.number().int().min(1).max(100).optional(),
});

/** The voices: list, create (multipart), delete. */
export const voiceRoutes: ApiRoutes = {
  add(api, service) {
    api.get('/voices', (request, reply) => deliver(service, listVoices(service, request), reply));
    api.post('/voices', (request, reply) => deliver(service, createVoice(service, request), reply));
    api.delete<{ Params: { id: string } }>('/voices/:id', (request, reply) =>
      deliver(service, deletion(service, request.params.id), reply),
    );
  },
  paths: {
    '/voices': {
      get: {
        summary: 'List voices',
        parameters: inQuery(voicesQuery),
        responses: { 200: jsonAnswer('VoiceList', 'A page of voices'), default: ERROR },
      },
      post: {
        summary: 'Create a voice from recordings',
        requestBody: voiceForm({
          referenceText: TEXT,
          languages: { ...TEXT, description: 'A JSON array of language codes' },
        }),
        responses: {
          200: jsonAnswer('VoiceCreated', 'Created'),
          201: jsonAnswer('VoiceCreated', 'Created'),
          default: ERROR,
        },
      },
    },
    '/voices/{voiceId}': {
      delete: {
        summary: 'Delete a voice of the account',
        parameters: [inPath('voiceId')],
        responses: {
          200: {
            description: 'Deleted; the body may be empty',
            content: { ...jsonOf('VoiceDeleted'), 'text/plain': { schema: { const: '' } } },
          },
          204: { description: 'Deleted' },
          default: ERROR,
        },
      },
    },
  },
};

const target = { on: 'list', operation: null, subject: '' } as const;

/** A page, according to the service's paging habits. The list may change afterwards. */
function listVoices(service: Service, request: FastifyRequest): Exchange {
  const { provider, search, ...place } = readPart(voicesQuery, request.query);
  const { listHabits, settings, voices } = service;
  const isFiltered = listHabits.filter === 'honoured';
  return {
    ...target,
    perform: (_fate, draw) => {
      const listed = voices.list(isFiltered ? (provider ?? null) : null, isFiltered ? (search ?? null) : null);
      const { items, total, page, pageSize } = pageOf(listed, place, listHabits);
      const members = items.map((voice) => ({ ...voiceMembers(voice, draw), ...useMembers(service, voice, draw) }));
      if (settings.voiceChurn > 0) voices.churn(settings.voiceChurn, draw);
      if (draw.shape('voices.body') === 'bare') return json(200, members);
      const sums = total === undefined ? {} : { total, totalPages: Math.ceil(total / pageSize) };
      return json(200, { ...sums, page, pageSize, items: members });
    },
  };
}

function deletion(service: Service, id: string): Exchange {
  return {
    ...target,
    on: 'delete',
    subject: id,
    perform: (_fate, draw) => {
      refuseInUse(service, id);
      return deleteVoice(service, id, draw);
    },
  };
}

/** Refuses to delete a voice that a running job uses. */
export function refuseInUse(service: Service, id: string): void {
  if (service.isVoiceInUse(id)) throw new Refusal(409, 'ERR_VOICE_IN_USE', 'A job still uses this voice');
}

/** Creates a voice from a form, and charges for it. `show` builds the answer, which differs between dialects. */
export function createVoice(
  service: Service,
  request: FastifyRequest,
  { dialect, show }: { readonly dialect: Dialect; readonly show: ShowVoice } = { dialect: 'v1', show: showCreated },
): Exchange {
  const { body } = request;
  const parts = Buffer.isBuffer(body) ? readMultipart(request.headers['content-type'] ?? '', body) : null;
  if (parts === null) throw new Refusal(400, 'ERR_MISSING_REQUIRED_FIELDS', 'Expected a multipart/form-data body');
  const name = textOf(parts, 'name');
  const files = parts.filter(
    (part) => part.name === 'audioFiles' && part.fileName !== undefined && part.data.length > 0,
  );
  if (name.trim() === '' || files.length === 0) {
    throw new Refusal(400, 'ERR_MISSING_REQUIRED_FIELDS', 'Invalid request body: name and audioFiles are required');
  }
  checkSamples(files);
  const operation = 'voice';
  const cost = priceOf(operation, { text: '', seconds: 0 });
  return {
    dialect,
    on: 'create',
    operation,
    subject: name,
    admission: service.admission(operation, cost),
    perform: (_fate, draw) => {
      const voice = service.voices.create(name, textOf(parts, 'description'), trainingTime(service, draw));
      const charge = service.charge({
        operation,
        ...(dialect === 'legacy' ? { dialect } : {}),
        jobId: voice.id,
        credits: cost,
        idempotencyKey: idempotencyKeyOf(request),
        requestId: newRequestId(),
        name,
      });
      return { ...show(voice, draw), charge };
    },
  };
}

/** The answer to the creation of a voice. */
type ShowVoice = (voice: StoredVoice, draw: Draw) => Answer;

function showCreated(voice: StoredVoice, draw: Draw): Answer {
  return json(draw.coin() ? 200 : 201, createdBody(voice, draw));
}

function createdBody(voice: StoredVoice, draw: Draw): Record<string, unknown> {
  const members = voiceMembers(voice, draw);
  switch (draw.shape('voice.created')) {
    case 'bare':
      return members;
    case 'wrapped':
      return { voice: members };
    case 'legacy': {
      const { id, name, description } = voice;
      const createdAt = new Date().toISOString();
      return { modelId: id, title: name, description, createdAt, message: 'Model created' };
    }
  }
}

function textOf(parts: readonly FormPart[], name: string): string {
  return parts.find((part) => part.name === name)?.data.toString('utf8') ?? '';
}

function deleteVoice(service: Service, id: string, draw: Draw): Answer {
  service.voices.delete(id);
  switch (draw.shape('voice.deleted')) {
    case 'empty':
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(0) };
    case 'message':
      return json(200, { success: true, message: 'Voice deleted' });
    case 'no-content':
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
  }
}

function voiceMembers(voice: StoredVoice, draw: Draw): Record<string, unknown> {
  return {
    [draw.shape('voice.id')]: voice.id,
    [draw.shape('voice.name')]: voice.name,
    provider: voice.provider,
    description: voice.description,
  };
}

/**
 * Training time of a new voice, in ms. Draws nothing if voices need no training, because that would change what
 * existing seeds produce.
 */
function trainingTime({ settings: { trainMs } }: Service, draw: Draw): number {
  return trainMs[1] > 0 ? draw.uniform(...trainMs) : 0;
}

/** The list members for a voice's training status and engines. */
function useMembers({ settings }: Service, { engines, readyAt }: StoredVoice, draw: Draw): Record<string, unknown> {
  const told = engines !== undefined && draw.shape('voice.engines') === 'modelIds' ? { modelIds: engines } : {};
  if (settings.trainMs[1] === 0) return told;
  const isReady = Date.now() >= readyAt;
  const shape = draw.shape('voice.training');
  switch (shape) {
    case 'status':
    case 'state':
      return { ...told, [shape]: isReady ? 'ready' : 'training' };
    case 'trained':
      return { ...told, trained: isReady };
    case 'untold':
      return told;
  }
}
