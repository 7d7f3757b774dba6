import { API_PATH } from '../../contract/urls.ts';
import { defined } from '../../contract/defined.ts';
import type { Connection } from '../connection.ts';
import { type SchemaLook, ApiError } from '../speech-api.ts';
import { checkDocument } from './check-document.ts';
import { clientCalls } from './client-calls.ts';
import { digestOf, type ApiDocument, NoDocument, readDocument } from './document.ts';
import { classifyRead } from '../classify.ts';
import { readAnswer } from '../read-answer.ts';

/** Reads the API's OpenAPI document and compares it with the client's calls. Free. Throws ApiError, or `NoDocument`. */
export async function lookAtSchema(connection: Connection): Promise<SchemaLook> {
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
const MOST_BYTES = 16 * 1024 ** 2;
/** Time limit for the whole read, in ms. */
const PATIENCE_MS = 30_000;
/** Where it lies, beside the paths of the API. */
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
    const answer = await readAnswer(head, MOST_BYTES);
    if (answer.status !== 200 || answer.json === undefined) throw new ApiError(classifyRead(answer, context));
    return readDocument(answer.json, url.href);
  }
  throw new NoDocument('the API does not show it');
}
