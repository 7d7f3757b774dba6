import * as z from 'zod';
import { json } from '../answer.ts';
import { deliver, type Exchange } from '../deliver.ts';
import { ERROR, jsonAnswer, jsonRequest } from '../open-api-parts.ts';
import type { ApiRoutes } from '../routes/api-routes.ts';
import { optionalBody, readPart } from '../routes/read-request.ts';
import type { Service } from '../service.ts';

const tokenBody = z.object({ token: z.string().optional() });

const responses = { 200: jsonAnswer('LegacyProfile', 'The account'), default: ERROR };

/**
 * The profile on the legacy paths. `POST` is a read as well, and takes the token from its body too; it changes nothing,
 * whatever else the body has.
 */
export const legacyProfileRoutes: ApiRoutes = {
  add(api, service) {
    api.get('/profile', (_request, reply) => deliver(service, read(service), reply));
    api.post('/profile', { config: { tokenInBody: true } }, (request, reply) => {
      const { token } = readPart(tokenBody, optionalBody(request));
      const { authorization } = request.headers;
      service.account.checkToken(authorization ?? (token === undefined ? undefined : `Bearer ${token}`));
      return deliver(service, read(service), reply);
    });
  },
  paths: {
    '/api/open/profile': {
      get: { summary: 'Read the account', responses },
      post: {
        summary: 'Read the account; the token may be in the body',
        requestBody: { ...jsonRequest(tokenBody), required: false },
        responses,
      },
    },
  },
};

function read(service: Service): Exchange {
  const { account } = service;
  return {
    dialect: 'legacy',
    on: 'profile',
    operation: null,
    subject: '',
    perform: () =>
      json(200, {
        user_id: account.userId,
        api_quota_remaining: account.settings.credits,
        tier: 'pro',
        credits: 5000,
      }),
  };
}
