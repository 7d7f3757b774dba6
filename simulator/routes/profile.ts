import * as z from 'zod';
import { json } from '../answer.ts';
import { deliver } from '../deliver.ts';
import type { Draw } from '../draw.ts';
import { ERROR, jsonAnswer, jsonRequest } from '../open-api-parts.ts';
import { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import type { ApiRoutes } from './api-routes.ts';
import { mediaUrl, readPart } from './read-request.ts';

/** The body of an update of the profile. Other members are ignored or refused. */
const profileUpdate = z.looseObject({
  /** Null or an empty string removes the address, if the service allows that. */
  webhookUrl: z.union([mediaUrl, z.literal(''), z.null()]).optional(),
  displayName: z.string().max(80).optional(),
  newsletter: z.boolean().optional(),
});
type ProfileUpdate = z.output<typeof profileUpdate>;

/** The profile: read and update. */
export const profileRoutes: ApiRoutes = {
  add(api, service) {
    const target = { on: 'profile', operation: null, subject: '' } as const;
    api.get('/profile', (_request, reply) =>
      deliver(service, { ...target, perform: (_fate, draw) => json(200, profileOf(service, draw)) }, reply),
    );
    api.post('/profile', (request, reply) => {
      const update = readPart(profileUpdate, request.body);
      return deliver(
        service,
        {
          ...target,
          perform: (_fate, draw) => {
            change(service, update, draw);
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

/** Changes the account, all or nothing. */
function change(
  service: Service,
  { webhookUrl, displayName, newsletter, ...unknown }: ProfileUpdate,
  draw: Draw,
): void {
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined && draw.shape('profile.unknown') === 'refused') {
    throw new Refusal(400, 'invalid_request', `Unknown field: ${stranger}`);
  }
  const { account } = service;
  if (webhookUrl === null || webhookUrl === '') {
    const isClear = draw.shape('profile.clear') === (webhookUrl === null ? 'null' : 'empty');
    if (!isClear) throw new Refusal(400, 'invalid_request', 'webhookUrl must be a URL');
  }
  if (webhookUrl !== undefined) account.webhookUrl = webhookUrl === '' ? null : webhookUrl;
  account.displayName = displayName ?? account.displayName;
  account.newsletter = newsletter ?? account.newsletter;
}

/** The profile; sometimes with undocumented members. */
function profileOf(service: Service, draw: Draw): Record<string, unknown> {
  const { account } = service;
  const { displayName, newsletter } = account;
  const webhook = draw.shape('profile.webhook');
  return {
    user_id: account.userId,
    api_quota_remaining: account.settings.credits,
    tier: 'pro',
    credits: 5000,
    ...(webhook === 'absent' ? {} : { [webhook]: account.webhookUrl }),
    ...(draw.shape('profile.extra') === 'given' ? { displayName, newsletter, billing_model: 'credits' } : {}),
  };
}
