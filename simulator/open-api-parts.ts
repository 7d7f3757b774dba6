import * as z from 'zod';
import { type Schema, TEXT } from './schema-parts.ts';

/* Building blocks for each route's section of the OpenAPI document. */

/** JSON content of one schema of the document, or of any of several. */
export function jsonOf(...names: readonly string[]): Schema {
  const [schema, ...others] = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return { 'application/json': { schema: others.length === 0 ? schema : { anyOf: [schema, ...others] } } };
}

/** An answer with a JSON body of one schema. */
export function jsonAnswer(name: string, description: string): Schema {
  return { description, content: jsonOf(name) };
}

/** The answer to a refused request. */
export const ERROR = jsonAnswer('ErrorResponse', 'The request was refused, or the service failed');

/** A request body, as its route parses it. */
export function jsonRequest(body: z.ZodObject): Schema {
  return { required: true, content: { 'application/json': { schema: schemaOf(body) } } };
}

/** A route's input as JSON Schema: members with a default may be omitted. */
function schemaOf(part: z.ZodObject): z.core.JSONSchema.BaseSchema {
  // The document names its JSON Schema version once.
  const schema = z.toJSONSchema(part, { io: 'input' });
  delete schema.$schema;
  return schema;
}

/** A parameter of a path. */
export function inPath(name: string): Schema {
  return { name, in: 'path', required: true, schema: TEXT };
}

/** Query parameters, as the route parses them. */
export function inQuery(query: z.ZodObject): Schema[] {
  return Object.entries(schemaOf(query).properties ?? {}).map(([name, schema]) => ({ name, in: 'query', schema }));
}

/** Content that is the media itself. */
const BINARY = { schema: { type: 'string', format: 'binary' } };

const AUDIO_TYPES = ['audio/mpeg', 'audio/wav', 'audio/x-wav', 'audio/wave', 'audio/pcm'];

/** The answers to a request to speak at once. `cached`: the schema of a link to the audio. */
export function speechAnswers(cached: string): Schema {
  const content = {
    ...jsonOf(cached, 'ErrorResponse'),
    ...Object.fromEntries(AUDIO_TYPES.map((type) => [type, BINARY])),
  };
  return {
    200: { description: 'The audio, or with `cache` a link to it, or why there is none', content },
    default: ERROR,
  };
}

/** The body of a request that makes a voice from recordings. `more`: members of one dialect only. */
export function voiceForm(more: Schema = {}): Schema {
  const schema = {
    type: 'object',
    required: ['name', 'audioFiles'],
    properties: {
      name: TEXT,
      description: TEXT,
      visibility: { type: 'string', enum: ['public', 'private'] },
      ...more,
      audioFiles: { type: 'array', items: BINARY.schema, maxItems: 5 },
    },
  };
  return { required: true, content: { 'multipart/form-data': { schema } } };
}
