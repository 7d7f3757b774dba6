import type { ServerResponse, IncomingMessage } from 'node:http';
import { VoxbatchError } from '../client/problem.ts';
import { ActionRefused } from './actions.ts';
import { BadPost, type Post } from './post-body.ts';
import { QueueFull } from './queue.ts';
import { toJson } from './wire.ts';
import { readBody } from '../client/http/read-body.ts';

/** Sends an answer, unless nobody waits for it any more. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed) return;
  const body = Buffer.from(toJson(value));
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  response.end(body);
}

/** Sends why there is no answer. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else if (error instanceof QueueFull)
    sendJson(response.setHeader('retry-after', '1'), 503, { message: error.message });
  else if (error instanceof BadPost) sendJson(response, 400, { message: error.message });
  else if (error instanceof ActionRefused) sendJson(response, 409, { message: error.message });
  else if (error instanceof VoxbatchError)
    sendJson(response, error.problem.type === 'no-batch' ? 404 : 409, { message: error.message });
  else sendJson(response, 500, { message: error instanceof Error ? error.message : String(error) });
}

/** The largest body of a post, in bytes: the ids of the most rows. */
const MOST_POSTED = 1_000_000;

/** Does what a post asks for, and sends the answer. Rejects with {@link BadPost} and what `post` rejects with. */
export async function answerPost(request: IncomingMessage, response: ServerResponse, post: Post): Promise<void> {
  const body = await readBody(request, MOST_POSTED);
  if (body === undefined) throw new BadPost('Too much at once.');
  sendJson(response, 200, await post(parsed(body)));
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // It is refused below.
  }
  throw new BadPost('Expected an object of JSON.');
}
