import type { ServerResponse } from 'node:http';
import { VoxbatchError } from '../client/problem.ts';
import { ActionRefused } from './actions.ts';
import { BadPost } from './post-body.ts';
import { QueueFull } from './queue.ts';
import { toJson } from './wire.ts';

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
