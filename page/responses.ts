import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../client/http/read-body.ts';
import { VoxbatchError } from '../client/problem.ts';
import { messageOf } from '../contract/message-of.ts';
import { ActionRefused } from './actions.ts';
import { toJson } from './json.ts';
import { BadRequest, type Body, type PostHandler } from './post-handler.ts';
import { TooManyRequests } from './slow-queue.ts';

/** Sends `value` as JSON, unless the browser has disconnected. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed) return;
  const body = Buffer.from(toJson(value));
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  response.end(body);
}

/** Sends an error as an `ErrorAnswer` with its status, or drops the connection if the answer has begun. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else if (error instanceof TooManyRequests)
    sendJson(response.setHeader('retry-after', '1'), 503, { message: error.message });
  else if (error instanceof BadRequest) sendJson(response, 400, { message: error.message });
  else if (error instanceof ActionRefused) sendJson(response, 409, { message: error.message });
  else if (error instanceof VoxbatchError)
    sendJson(response, error.problem.type === 'no-batch' ? 404 : 409, { message: error.message });
  else sendJson(response, 500, { message: messageOf(error) });
}

/** The largest body of a POST, in bytes. The largest that the page sends has the ids of 5,000 rows. */
const MAX_BODY_BYTES = 1_000_000;

/** Reads the body, calls the handler, and sends its answer. Rejects with {@link BadRequest}, or as the handler does. */
export async function answerPost(
  request: IncomingMessage,
  response: ServerResponse,
  handler: PostHandler,
): Promise<void> {
  const text = await readBody(request, MAX_BODY_BYTES);
  if (text === undefined) throw new BadRequest('Too much at once.');
  sendJson(response, 200, await handler(parseObject(text)));
}

function parseObject(text: string): Body {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Text that is not JSON is refused below.
  }
  throw new BadRequest('Expected an object of JSON.');
}
