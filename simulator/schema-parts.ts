/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export type Schema = Readonly<Record<string, unknown>>;

// A member of one value; `LINK` and `TIME` are strings.
export const TEXT: Schema = { type: 'string' };
export const NUMBER: Schema = { type: 'number' };
export const INTEGER: Schema = { type: 'integer' };
export const BOOLEAN: Schema = { type: 'boolean' };
export const LINK: Schema = { type: 'string', format: 'uri' };
export const TIME: Schema = { type: 'string', format: 'date-time' };

/** An object with these members, the first ones required. Other members are allowed, as everywhere in this API. */
export function object(
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

/** A schema of the same document. */
export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
