import { orElse } from '../../contract/or-else.ts';
import { defined } from '../../contract/defined.ts';
import { trimEnd } from '../../contract/trim-end.ts';
import { asObject, asText, type JsonObject, member } from '../read-members.ts';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';

/** Reads OpenAPI documents, as far as the comparison with the client's calls needs them. */

/** One endpoint as the document describes it; parts of it may be `$ref`s. */
export interface Documented {
  /** `POST /api/open/v1/voices/{voiceId}`. */
  readonly name: string;
  readonly parameters: readonly JsonObject[];
  readonly requestBody: JsonObject | undefined;
  /** By status, or `default`. */
  readonly responses: Readonly<Record<string, unknown>>;
}

/** The API's OpenAPI document. */
export interface ApiDocument {
  /** OpenAPI version, such as `3.1.0`. */
  readonly form: string;
  readonly title?: string;
  readonly version?: string;
  /** By {@link keyOf} of their method and path. */
  readonly endpoints: ReadonlyMap<string, Documented>;
  readonly root: JsonObject;
}

/** Thrown for a document that is not readable OpenAPI 3. */
export class NoDocument extends Error {
  override readonly name = 'NoDocument';
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Returns a key of an endpoint: method and path, without the names of path parameters. */
export function keyOf(method: string, path: string): string {
  const bare = path.replaceAll(/\{[^{}]*\}/g, '{}');
  return `${method.toUpperCase()} ${trimEnd(bare, '/') || bare.slice(0, 1)}`;
}

/**
 * Reads an OpenAPI document, 3.0 or newer.
 *
 * @param address where it was found; relative addresses of servers begin there
 * @throws {@link NoDocument}
 */
export function readDocument(json: unknown, address: string): ApiDocument {
  const root = asObject(json);
  const form = asText(member(root, 'openapi'));
  const paths = asObject(member(root, 'paths'));
  if (root === undefined || form?.startsWith('3.') !== true || paths === undefined) {
    const older = asText(member(root, 'swagger'));
    throw new NoDocument(
      older === undefined
        ? 'it is no OpenAPI document (expected "openapi": "3.…" and "paths")'
        : `it is of the older form Swagger ${older.slice(0, 10)}; OpenAPI 3 is read`,
    );
  }
  const endpoints = new Map<string, Documented>();
  for (const [path, value] of Object.entries(paths)) {
    const item = resolve(root, value);
    if (item === undefined) continue;
    for (const method of METHODS) {
      const operation = asObject(member(item, method));
      if (operation === undefined) continue;
      for (const begin of beginnings([operation, item, root], address)) {
        endpoints.set(
          keyOf(method, begin + path),
          documented(root, `${method.toUpperCase()} ${begin}${path}`, item, operation),
        );
      }
    }
  }
  const info = asObject(member(root, 'info'));
  return {
    form: form.slice(0, 10),
    endpoints,
    root,
    ...defined({ title: asText(member(info, 'title')), version: asText(member(info, 'version')) }),
  };
}

function documented(root: JsonObject, name: string, item: JsonObject, operation: JsonObject): Documented {
  const parameters = [member(item, 'parameters'), member(operation, 'parameters')]
    .flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
    .flatMap((one): readonly JsonObject[] => {
      const found = resolve(root, one);
      return found === undefined ? [] : [found];
    });
  return {
    name,
    parameters,
    requestBody: resolve(root, member(operation, 'requestBody')),
    responses: asObject(member(operation, 'responses')) ?? {},
  };
}

/** The path prefixes of an endpoint: those of its own servers, or of the nearest owner that has some. */
function beginnings(owners: readonly JsonObject[], address: string): readonly string[] {
  const lists = owners.map((owner) => member(owner, 'servers'));
  const list = lists.find((servers): servers is unknown[] => Array.isArray(servers) && servers.length > 0) ?? [];
  const paths = list.flatMap((server) => pathOf(asObject(server), address) ?? []);
  return paths.length === 0 ? [''] : [...new Set(paths)];
}

function pathOf(server: JsonObject | undefined, address: string): string | undefined {
  const variables = asObject(member(server, 'variables'));
  const url = asText(member(server, 'url'))?.replaceAll(
    /\{([^{}]*)\}/g,
    (_, name: string) => asText(member(asObject(member(variables, name)), 'default')) ?? '',
  );
  return orElse(() => (url === undefined ? undefined : trimEnd(new URL(url, address).pathname, '/')), undefined);
}

/** Max nesting depth; real documents have about 20. */
const MAX_DEPTH = 100;

/** Members that do not affect requests or answers. */
const WORDS = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'externalDocs',
  'operationId',
  'tags',
]);

/**
 * Follows a `$ref` within the document, and those behind it; undefined for one that leads nowhere, in circles or
 * elsewhere.
 */
export function resolve(root: JsonObject, value: unknown): JsonObject | undefined {
  const seen = new Set<string>();
  let found = asObject(value);
  for (;;) {
    const reference = member(found, '$ref');
    if (typeof reference !== 'string') return found;
    if (seen.has(reference)) return undefined;
    seen.add(reference);
    found = asObject(at(root, reference));
  }
}

/**
 * Returns a digest of a part of the document and of everything that it refers to. Ignores descriptions and the order of
 * members. Circular references are allowed.
 */
export function digestOf(root: JsonObject, part: unknown): string {
  const parts: Record<string, unknown> = {};
  const waiting: string[] = [];
  const bare = (value: unknown, depth: number, isNames = false): unknown => {
    if (depth > MAX_DEPTH) return null;
    if (Array.isArray(value)) return value.map((one) => bare(one, depth + 1));
    const object = asObject(value);
    if (object === undefined) return value;
    const reference = member(object, '$ref');
    if (typeof reference === 'string') waiting.push(reference);
    return Object.fromEntries(
      Object.entries(object)
        // Below `properties`, the names are those of members.
        .filter(([name]) => isNames || !(WORDS.has(name) || name.startsWith('x-')))
        .map(([name, one]) => [name, bare(one, depth + 1, !isNames && name === 'properties')]),
    );
  };
  parts[''] = bare(part, 0);
  for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
    if (!(reference in parts)) parts[reference] = bare(at(root, reference) ?? null, 0);
  }
  return createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 16);
}

/** The target of a reference within the document (`#/components/…`). */
function at(root: JsonObject, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let value: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const name = orElse(() => decodeURIComponent(step), step)
      .replaceAll('~1', '/')
      .replaceAll('~0', '~');
    value = Array.isArray(value) ? (value as unknown[])[Number(name)] : member(asObject(value), name);
  }
  return value;
}
