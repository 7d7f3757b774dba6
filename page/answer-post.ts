import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../client/http/read-body.ts';
import { BadPost, type Post } from './post-body.ts';
import { sendJson } from './send.ts';

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
