import type { OwnOperation } from '../../contract/own-operations/own-operation.ts';
import { asText, firstOf, objectsAt } from '../read-members.ts';
import { bodyOf, jobAt, type DirectClient, type JobClient } from '../operations/operation-client.ts';

/** Members that may hold the link to media. */
const LINKS = ['result_url', 'resultUrl', 'output_url', 'outputUrl', 'audio_url', 'audioUrl', 'video_url', 'videoUrl'];

const clients = new Map<OwnOperation, JobClient | DirectClient>();

/** Returns the client of a user's own operation; the same one for the same definition. */
export function ownClient(operation: OwnOperation): JobClient | DirectClient {
  const client = clients.get(operation) ?? makeClient(operation);
  clients.set(operation, client);
  return client;
}

function makeClient(operation: OwnOperation): JobClient | DirectClient {
  const { path, answer, columns } = operation;
  const fields = Object.entries(columns).map(([column, { field }]) => [column, field] as const);
  const body = bodyOf(Object.fromEntries(fields));
  const results = namesOf(operation);
  if (answer === 'job') return jobAt(path, body, results);
  return {
    path,
    answersMedia: true,
    answersJob: false,
    body,
    reply(json) {
      const url =
        firstOf(objectsAt(json, ['result', 'data.result']), results.inResult, asText) ??
        firstOf(objectsAt(json, ['data', '']), results.names, asText);
      return url === undefined ? undefined : { type: 'link', url };
    },
  };
}

/**
 * Returns where the result link of a user's own operation may be. A member with the name of a request field repeats the
 * input, so it counts only inside a result object, or if the user names it and its link differs from all links sent.
 */
function namesOf({ columns, links }: OwnOperation): JobClient['results'] {
  const sent = Object.values(columns).map(({ field }) => field);
  return {
    names: (links ?? LINKS).filter((name) => !sent.includes(name)),
    inResult: links ?? [...LINKS, 'url'],
    asInput: (links ?? []).filter((name) => sent.includes(name)),
  };
}
