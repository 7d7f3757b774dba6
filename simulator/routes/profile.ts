import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { json } from '../answer.ts';
import { deliver } from '../deliver.ts';
import type { Draw } from '../draw.ts';
import type { Service } from '../service.ts';
import { mediaUrl, readPart } from './read-request.ts';

/** The body of an update of the profile. */
export const profileUpdate = z.object({ webhookUrl: mediaUrl });

/** Adds the profile: read, and update of the webhook. */
export function addProfileRoutes(api: FastifyInstance, service: Service): void {
  const target = { on: 'profile', operation: null, subject: '' } as const;
  api.get('/profile', (_request, reply) =>
    deliver(service, { ...target, perform: (_fate, draw) => json(200, profileOf(service, draw)) }, reply),
  );
  api.post('/profile', (request, reply) => {
    const { webhookUrl } = readPart(profileUpdate, request.body);
    return deliver(
      service,
      {
        ...target,
        perform: (_fate, draw) => {
          service.account.webhookUrl = webhookUrl;
          return json(200, draw.shape('profile.updated') === 'profile' ? profileOf(service, draw) : { success: true });
        },
      },
      reply,
    );
  });
}

/** The profile; sometimes with undocumented members. */
function profileOf(service: Service, draw: Draw): Record<string, unknown> {
  const { account } = service;
  return {
    user_id: account.userId,
    api_quota_remaining: account.settings.credits,
    tier: 'pro',
    credits: 5000,
    ...(draw.shape('profile.extra') === 'given' ? { webhookUrl: account.webhookUrl, billing_model: 'credits' } : {}),
  };
}
