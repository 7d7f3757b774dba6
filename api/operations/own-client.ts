import type { OwnOperation } from '../../contract/own-operation.ts';
import { asText, firstOf, objectsAt } from '../read-members.ts';
import { bodyOf, jobAt, type DirectClient, type JobClient } from './operation-client.ts';

/** Where an answer may have the link to media. */
const LINKS = ['result_url', 'resultUrl', 'output_url', 'outputUrl', 'audio_url', 'audioUrl', 'video_url', 'videoUrl'];

const clients = new Map<OwnOperation, JobClient | DirectClient>();

/** How an operation of a user's own is requested, and its answer read. */
export function ownClient(operation: OwnOperation): JobClient | DirectClient {
  let client = clients.get(operation);
  if (client === undefined) clients.set(operation, (client = makeClient(operation)));
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
 * Beside the job, a name that was sent repeats the input, and is the result only inside a result object, unless the user names it as
 * one; a job then has it only if its link is none of those that were sent.
 */
function namesOf({ columns, links }: OwnOperation): JobClient['results'] {
  const sent = Object.values(columns).map(({ field }) => field);
  return {
    names: (links ?? LINKS).filter((name) => !sent.includes(name)),
    inResult: links ?? [...LINKS, 'url'],
    asInput: (links ?? []).filter((name) => sent.includes(name)),
  };
}
