import { API_PATH } from '../contract/urls.ts';
import type { Dialect } from '../contract/dialects.ts';
import { LEGACY_ROUTES } from './legacy/all.ts';
import { LEGACY_SCHEMAS } from './legacy/schemas.ts';
import { type Schema, SCHEMAS } from './open-api-schemas.ts';
import { API_ROUTES } from './routes/all.ts';

/**
 * Returns an OpenAPI 3.1 document of everything that the simulator answers when no fault is planned. `GET
 * /api/openapi.json` serves the one of the current paths, as the API does. The legacy paths have a document of their
 * own, because they are not below the path of that document's server.
 */
export function openApiDocument(dialect: Dialect = 'v1'): Schema {
  const routes = dialect === 'v1' ? API_ROUTES : LEGACY_ROUTES;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Speech, voice and lip-sync API (simulated)',
      version: '1.0.0',
      description: 'A local stand-in. Bodies with several variants are sent in all of them.',
    },
    servers: [{ url: dialect === 'v1' ? API_PATH : '/' }],
    security: [{ token: [] }],
    paths: Object.assign({}, ...routes.map(({ paths }) => paths)) as Schema,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: dialect === 'v1' ? SCHEMAS : LEGACY_SCHEMAS,
    },
  };
}
