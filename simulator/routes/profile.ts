import * as z from 'zod';
import { json } from '../answer.ts';
import { deliver } from '../deliver.ts';
import type { Draw } from '../draw.ts';
import { ERROR, jsonAnswer, jsonRequest } from '../open-api-parts.ts';
import type { Service } from '../service.ts';
import type { ApiRoutes } from './api-routes.ts';
import { mediaUrl, readPart } from './read-request.ts';

/** The body of an update of the profile. */
const profileUpdate = z.object({ webhookUrl: mediaUrl });

/** The profile: read, and update of the webhook. */
export const profileRoutes: ApiRoutes = {
  add(api, service) {
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
            return json(
              200,
              draw.shape('profile.updated') === 'profile' ? profileOf(service, draw) : { success: true },
            );
          },
        },
        reply,
      );
    });
  },
  paths: {
    '/profile': {
      get: { summary: 'Read the account', responses: { 200: jsonAnswer('Profile', 'The account'), default: ERROR } },
      post: {
        summary: 'Update settings of the account',
        requestBody: jsonRequest(profileUpdate),
        responses: { 200: jsonAnswer('ProfileUpdated', 'Updated'), default: ERROR },
      },
    },
  },
};

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
