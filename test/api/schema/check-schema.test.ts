import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../../simulator/open-api.ts';
import { always, clientOf, serve, TOKEN } from '../../support/api-server.ts';

type Json = Record<string, unknown>;

interface Document {
  readonly paths: Record<string, Record<string, Json>>;
  readonly components: { readonly schemas: Record<string, Json> };
}

/** The simulator's document, changed. */
function document(change: (document: Document) => void = () => undefined): Document & Json {
  const copy = JSON.parse(JSON.stringify(openApiDocument())) as Document & Json;
  change(copy);
  return copy;
}

async function lookAt(body: unknown, status = 200) {
  const server = await serve(always(status, body));
  return clientOf(server.origin).checkSchema();
}
const lookAtChanged = (change: (document: Document) => void) => lookAt(document(change));

/** Lets a path take a body of this schema. */
const takes = ({ paths }: Document, path: string, schema: Json): void =>
  void Object.assign(paths[path]?.['post'] ?? {}, { requestBody: { content: { 'application/json': { schema } } } });

describe('a look at the schema of an API', () => {
  it('GET /api/openapi.json: has all that the client asks of the API, the token apart', async () => {
    const server = await serve(always(200, document()));
    expect(await clientOf(server.origin).checkSchema()).toMatchObject({ form: '3.1.0', lacks: [], unused: [] });
    expect(server.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/api/openapi.json', undefined],
    ]);
  });

  it('has all of the legacy paths, too, but for the reads that are another method of one', async () => {
    const server = await serve(always(200, openApiDocument('legacy')));
    const look = await clientOf(server.origin, { dialect: 'legacy' }).checkSchema();
    expect(look).toMatchObject({ lacks: [] });
    expect(look.unused.toSorted()).toEqual([
      'POST /api/open/lip-sync/list',
      'POST /api/open/lip-sync/query',
      'POST /api/open/profile',
    ]);
  });

  it('sends the token where the API wants it, and to no other place', async () => {
    const server = await serve((request, response) => {
      always(request.headers.authorization === `Bearer ${TOKEN}` ? 200 : 401, document())(request, response);
    });
    expect((await clientOf(server.origin).checkSchema()).lacks).toEqual([]);
    const other = await serve(always(200, document()));
    const moved = await serve(always(302, '', { location: `${other.origin}/api/openapi.json` }));
    await expect(clientOf(moved.origin).checkSchema()).rejects.toMatchObject({ name: 'ApiError' });
    expect(other.seen).toEqual([]);
  });

  it('names what is missing, as the client itself asks for it', async () => {
    const look = await lookAtChanged(({ paths }) => {
      delete paths['/profile'];
      delete paths['/media/video-dubbing/jobs'];
    });
    const missing = { type: 'endpoint', endpoint: 'GET /profile', isRare: false };
    const rare = { type: 'endpoint', endpoint: 'POST /media/video-dubbing/jobs', isRare: true };
    expect(look.lacks).toEqual(expect.arrayContaining([missing, rare]));
  });

  it.each<[string, Json, Json]>([
    ['has another name', { properties: { text: {}, voice_id: {}, format: {} } }, { type: 'field', field: 'voiceId' }],
    ['must be sent', { properties: { text: {}, mood: {} }, required: ['mood'] }, { type: 'required', field: 'mood' }],
    ['is refused', { properties: { text: {} }, additionalProperties: false }, { type: 'field', field: 'speed' }],
  ])('finds a field that %s', async (_what, schema, lack) => {
    const look = await lookAtChanged((changed) => {
      takes(changed, '/speech/tts/jobs', { type: 'object', ...schema });
    });
    expect(look.lacks).toContainEqual({ endpoint: 'POST /speech/tts/jobs', isRare: false, ...lack });
  });

  it('ends with references in circles, and with a body that is any of itself, many times', async () => {
    const look = await lookAtChanged((changed) => {
      const self = { $ref: '#/components/schemas/Maze' };
      const itself = Array.from({ length: 12 }, () => self);
      const known = { type: 'object', properties: { text: {}, voiceId: {} } };
      Object.assign(changed.components.schemas, {
        Loop: { $ref: '#/components/schemas/Loop' },
        Away: { $ref: 'https://other.example/schema.json' },
        Maze: { anyOf: [known, ...itself], oneOf: itself },
      });
      const body = (name: string): Json => ({ requestBody: { $ref: `#/components/schemas/${name}` } });
      Object.assign(changed.paths['/media/video-dubbing/jobs']?.['post'] ?? {}, body('Loop'));
      Object.assign(changed.paths['/media/lip-sync/jobs']?.['post'] ?? {}, body('Away'));
      takes(changed, '/speech/tts/jobs', self);
    });
    expect(look.lacks).toEqual([]);
  });

  it('reads OpenAPI 3.0, with its paths written whole', async () => {
    const full = document();
    const paths = Object.entries(full.paths).map(([path, item]) => [
      `/api/open/v1${path.replace('{taskId}', '{id}')}/`,
      item,
    ]);
    const look = await lookAt({
      ...full,
      openapi: '3.0.3',
      servers: [{ url: 'https://{host}/', variables: { host: { default: 'h' } } }],
      paths: Object.fromEntries(paths) as Json,
    });
    expect(look).toMatchObject({ form: '3.0.3', lacks: [] });
  });

  it.each<[number, unknown, unknown]>([
    [200, '<!doctype html><title>Site</title>', { name: 'ApiError', message: expect.stringContaining('a web page') }],
    [404, '<!doctype html><title>Site</title>', { name: 'ApiError' }],
    [403, {}, { name: 'ApiError' }],
    [500, '', { name: 'ApiError' }],
    [200, '{"openapi":"3.1.0","paths":', { name: 'ApiError' }],
    [200, { swagger: '2.0', paths: {} }, { name: 'NoDocument', message: expect.stringContaining('Swagger 2.0') }],
    [200, { openapi: '3.1.0' }, { name: 'NoDocument' }],
    [200, [], { name: 'NoDocument' }],
  ])('says why a %d with %j is none', async (status, body, error) => {
    await expect(lookAt(body, status)).rejects.toMatchObject(error as object);
  });

  it('does not read one without end', async () => {
    const huge = `{"openapi":"3.1.0","paths":{"/a":"${'x'.repeat(17 * 1024 ** 2)}"}}`;
    await expect(lookAt(huge)).rejects.toMatchObject({ name: 'ApiError' });
  });

  it('sees a change in what an endpoint refers to, and none in words or order', async () => {
    const before = await lookAt(document());
    const reworded = await lookAtChanged(({ paths }) => {
      Object.assign(paths['/profile']?.['get'] ?? {}, { summary: 'Other words', 'x-note': 1 });
    });
    const changed = await lookAtChanged(({ components }) => {
      Object.assign(components.schemas['Profile'] ?? {}, { required: [] });
    });
    expect(reworded.endpoints).toEqual(before.endpoints);
    const parts = Object.keys(before.endpoints).filter(
      (name) => JSON.stringify(before.endpoints[name]) !== JSON.stringify(changed.endpoints[name]),
    );
    expect(parts).toEqual(['GET /api/open/v1/profile', 'POST /api/open/v1/profile']);
  });
});
