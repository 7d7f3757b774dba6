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

function makeClient({ path, answer, columns, links = [...LINKS, 'url'] }: OwnOperation): JobClient | DirectClient {
  const fields = Object.entries(columns).map(([column, { field }]) => [column, field] as const);
  const body = bodyOf(Object.fromEntries(fields));
  if (answer === 'job') return jobAt(path, body, namesOf(columns, links));
  return {
    path,
    answersMedia: true,
    answersJob: false,
    body,
    reply(json) {
      const url = firstOf(objectsAt(json, ['', 'data', 'result', 'data.result']), links, asText);
      return url === undefined ? undefined : { type: 'link', url };
    },
  };
}

/** On the job itself, a name of what was sent repeats the input; inside a result object it is the result. */
function namesOf(columns: OwnOperation['columns'], links: readonly string[]): JobClient['results'] {
  const sent = Object.values(columns).map(({ field }) => field);
  return {
    names: links.filter((name) => name !== 'url' && !sent.includes(name)),
    inResult: links,
    asInput: links.filter((name) => sent.includes(name)),
  };
}
