import { serve } from '../support/api-server.ts';
import type { World } from './world.ts';

/** A host in front of the simulator that passes everything on and watches the paid requests on the wire. */
export interface Front {
  /** Base address of the API behind it. */
  readonly apiUrl: string;
  /** Paid requests on the wire now. */
  now(): number;
  /** The most that were on the wire at once. */
  most(): number;
  /** Requests so far, as `POST /speech/tts/jobs`, in order. */
  seen(): string[];
}

/** Opens a host in front of the simulator; it is closed after the test. */
export async function openFront(world: World): Promise<Front> {
  let [now, most] = [0, 0];
  const { origin, seen } = await serve((request, response) => {
    const isPaid = request.method === 'POST';
    now += isPaid ? 1 : 0;
    most = Math.max(most, now);
    // What belongs to the connection stays behind.
    const own = ['host', 'connection', 'content-length'];
    const passed = Object.entries(request.headers).filter(([name]) => !own.includes(name));
    fetch(new URL(request.url, world.simulator.url), {
      method: request.method,
      headers: Object.fromEntries(passed) as Record<string, string>,
      ...(isPaid ? { body: request.body } : {}),
    })
      .then(async (answer) => {
        const body = Buffer.from(await answer.arrayBuffer());
        now -= isPaid ? 1 : 0;
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        response.end(body);
      })
      .catch(() => response.destroy());
  });
  return {
    apiUrl: `${origin}/api/open/v1`,
    now: () => now,
    most: () => most,
    seen: () => seen.map(({ method, url }) => `${method} ${url.replace('/api/open/v1', '')}`),
  };
}
