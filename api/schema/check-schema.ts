import { API_PATH } from '../../contract/urls.ts';
import { defined } from '../../contract/defined.ts';
import type { Connection } from '../connection.ts';
import { type SchemaCheck, ApiError, type SchemaGap } from '../speech-api.ts';
import { clientCalls, type ClientCall } from './client-calls.ts';
import { digestOf, type ApiDocument, NoDocument, readDocument, type Documented, keyOf, resolve } from './document.ts';
import { classifyRead } from '../classify.ts';
import { readAnswer } from '../read-answer.ts';
import { asObject, type JsonObject, member } from '../read-members.ts';

/** Reads the API's OpenAPI document and compares it with the client's calls. Free. Throws ApiError, or `NoDocument`. */
export async function checkSchema(connection: Connection): Promise<SchemaCheck> {
  const document = await readApiDocument(connection);
  const basePath = new URL(connection.baseUrl).pathname;
  const begin = connection.dialect.begin === 'base' ? basePath : basePath.slice(0, -API_PATH.length);
  const checked = checkDocument(document, clientCalls(connection.dialect), begin);
  const { root, form, title, version } = document;
  const endpoints = [...document.endpoints.values()].map(({ name, parameters, requestBody, responses }) => {
    const answers = Object.entries(responses).map(
      ([status, answer]) => [`answer ${status}`, digestOf(root, answer)] as const,
    );
    const parts: Record<string, string> = {
      parameters: digestOf(root, parameters),
      request: digestOf(root, requestBody ?? null),
      ...Object.fromEntries(answers),
    };
    return [name, parts] as const;
  });
  return { form, ...defined({ title, version }), ...checked, endpoints: Object.fromEntries(endpoints) };
}

/** Largest document, bytes; those of large services have some 10 MB. */
const MAX_BYTES = 16 * 1024 ** 2;
/** Time limit for the whole read, in ms. */
const PATIENCE_MS = 30_000;
/** Path of the document on the API's host. */
const DOCUMENT_PATH = '/api/openapi.json';

/**
 * Reads the API's OpenAPI document. Free. Sends the token only if the API refuses without it, and only to the API's own
 * origin. Follows no redirects.
 *
 * @throws ApiError for an answer that is no document, or none; {@link NoDocument} for a document that cannot be read
 */
export async function readApiDocument(connection: Connection): Promise<ApiDocument> {
  const url = new URL(connection.baseUrl.slice(0, -API_PATH.length) + DOCUMENT_PATH);
  const asked = `GET ${DOCUMENT_PATH}`;
  const context = { redact: connection.redact, asked, from: asked, privateTexts: [] };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (const isOwn of [false, true]) {
    const head = await connection.open(url, { isOwn, mayBePrivate: true, signal });
    if (head.type === 'no-answer') throw new ApiError(classifyRead(head, context));
    if (!isOwn && (head.status === 401 || head.status === 403)) {
      head.body.destroy();
      continue;
    }
    const answer = await readAnswer(head, MAX_BYTES);
    if (answer.status !== 200 || answer.json === undefined) throw new ApiError(classifyRead(answer, context));
    return readDocument(answer.json, url.href);
  }
  throw new NoDocument('the API does not show it');
}

/** Max nesting of the forms of a body (`allOf`, `anyOf`, `oneOf`). */
const MAX_DEPTH = 8;

/** Max schema parts to examine: a schema that contains itself in several members would never end. */
const MAX_PARTS = 10_000;

/** The state of a search through a schema. */
interface Walk {
  readonly root: JsonObject;
  /** Parts that may still be examined. */
  left: number;
}

/** Compares a document with the calls that the client makes. `begin` is the prefix of their paths. */
function checkDocument(
  document: ApiDocument,
  calls: readonly ClientCall[],
  begin: string,
): Pick<SchemaCheck, 'lacks' | 'unused'> {
  const lacks: SchemaGap[] = [];
  const used = new Set<string>();
  for (const call of calls) {
    const key = keyOf(call.method, begin + call.path);
    const documented = document.endpoints.get(key);
    const at = { endpoint: `${call.method} ${call.path}`, isRare: call.isRare };
    used.add(key);
    if (documented === undefined) lacks.push({ type: 'endpoint', ...at });
    else lacks.push(...lacksOfRequest(document.root, documented, call).map((lack) => ({ ...lack, ...at })));
  }
  const unused = [...document.endpoints].filter(([key]) => !used.has(key)).map(([, { name }]) => name);
  return { lacks, unused };
}

function lacksOfRequest(
  root: JsonObject,
  { parameters, requestBody }: Documented,
  call: ClientCall,
): { readonly type: 'field' | 'required'; readonly field: string }[] {
  const lacks: ReturnType<typeof lacksOfRequest> = [];
  for (const parameter of parameters) {
    const name = String(member(parameter, 'name'));
    const isAsked = member(parameter, 'in') === 'query' && member(parameter, 'required') === true;
    if (isAsked && !call.asks.includes(name)) lacks.push({ type: 'required', field: name });
  }
  const body = fieldsOf({ root, left: MAX_PARTS }, schemaIn(requestBody), 0);
  if (body === undefined || call.sends.length === 0) return lacks;
  for (const { name, isNeeded } of call.sends) {
    if (!body.named.has(name) && (isNeeded || body.isClosed)) lacks.push({ type: 'field', field: name });
  }
  const sent = new Set(call.sends.map(({ name }) => name));
  for (const field of body.required) if (!sent.has(field)) lacks.push({ type: 'required', field });
  return lacks;
}

/** Members of a body, in any of its forms. */
interface Fields {
  readonly named: ReadonlySet<string>;
  /** Required in all forms. */
  readonly required: ReadonlySet<string>;
  /** True if no other member is allowed. */
  readonly isClosed: boolean;
}

function fieldsOf(walk: Walk, schema: unknown, depth: number): Fields | undefined {
  if (depth > MAX_DEPTH || (walk.left -= 1) < 0) return undefined;
  const found = resolve(walk.root, schema);
  if (found === undefined) return undefined;
  const parts = (name: string): readonly Fields[] => {
    const list = member(found, name);
    return Array.isArray(list) ? list.flatMap((one) => fieldsOf(walk, one, depth + 1) ?? []) : [];
  };
  const all = parts('allOf');
  const any = [...parts('anyOf'), ...parts('oneOf')];
  const properties = Object.keys(asObject(member(found, 'properties')) ?? {});
  const listed = member(found, 'required');
  const own = Array.isArray(listed) ? listed.filter((name): name is string => typeof name === 'string') : [];
  const named = new Set([...properties, ...[...all, ...any].flatMap((one) => [...one.named])]);
  if (named.size === 0) return undefined;
  return {
    named,
    required: new Set([...own, ...all.flatMap((one) => [...one.required])]),
    isClosed: member(found, 'additionalProperties') === false,
  };
}

/** The schema of a body: of its JSON, else of its first form. */
function schemaIn(owner: JsonObject | undefined): unknown {
  const content = Object.entries(asObject(member(owner, 'content')) ?? {});
  const chosen = content.find(([type]) => /json/i.test(type)) ?? content[0];
  return member(asObject(chosen?.[1]), 'schema');
}
