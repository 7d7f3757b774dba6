import { API_PATH } from '../../contract/api-path.ts';
import { defined } from '../../contract/defined.ts';
import type { Connection } from '../connection.ts';
import type { SchemaLook } from '../speech-api.ts';
import { checkDocument } from './check-document.ts';
import { clientCalls } from './client-calls.ts';
import { digestOf } from './references.ts';
import { readApiDocument } from './read-api-document.ts';

/** Reads the API's description of itself and compares it with what the client asks; free. Throws ApiError, or `NoDocument`. */
export async function lookAtSchema(connection: Connection): Promise<SchemaLook> {
  const document = await readApiDocument(connection);
  const basePath = new URL(connection.baseUrl).pathname;
  const begin = connection.dialect.begin === 'base' ? basePath : basePath.slice(0, -API_PATH.length);
  const checked = await checkDocument(document, await clientCalls(connection), begin);
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
