import { API_PATH } from '../contract/api-path.ts';
import { type Schema, SCHEMAS } from './open-api-schemas.ts';
import { API_ROUTES } from './routes/all.ts';

/** What `GET /api/openapi.json` serves: OpenAPI 3.1 of everything the simulator answers when no fault is planned. */
export function openApiDocument(): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Speech, voice and lip-sync API (simulated)',
      version: '1.0.0',
      description: 'A local stand-in. Bodies with several variants are sent in all of them.',
    },
    servers: [{ url: API_PATH }],
    security: [{ token: [] }],
    paths: Object.assign({}, ...API_ROUTES.map(({ paths }) => paths)) as Schema,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } }, schemas: SCHEMAS },
  };
}
