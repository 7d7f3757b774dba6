/**
 * A stand-in of the API that accepts every speech job, ends it after a while, and keeps no state: the job's id carries
 * all it needs. It runs in its own process, so that its time does not count as the client's, and ends with its parent.
 * It sends its port to the parent, then `created` with the first job, and answers any message with a {@link Seen}.
 *
 * Arguments: ms until a create is answered (0), ms that a job takes (50), seconds of speech in a result (0.5: 2 KB).
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { renderAudio } from '../../simulator/media/render-audio.ts';

/**
 * Counts of created jobs and fetched results, and times of the first job and the last result, ms since 1970 (0: none).
 */
export interface Seen {
  readonly created: number;
  readonly firstAt: number;
  readonly fetched: number;
  readonly lastAt: number;
}

const [answerMs = 0, jobMs = 50, seconds = 0.5] = process.argv.slice(2).map(Number);
const API = '/api/open/v1';
const VOICE = { id: 'narrator', name: 'Narrator', provider: 'bench' };
const media = renderAudio('mp3', 'a line of a manifest', seconds);
let seen: Seen = { created: 0, firstAt: 0, fetched: 0, lastAt: 0 };

const server = http.createServer((request, response) => {
  const send = (code: number, answer: unknown): void => {
    const body = JSON.stringify(answer);
    response.writeHead(code, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  request.resume().on('end', () => {
    const { method, url = '' } = request;
    const [path = ''] = url.split('?');
    const id = path.slice(path.lastIndexOf('/') + 1);
    if (path.startsWith('/media/')) {
      seen = { ...seen, fetched: seen.fetched + 1, lastAt: Date.now() };
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': media.length });
      response.end(media);
    } else if (path === `${API}/profile`) {
      send(200, { user_id: 'bench', api_quota_remaining: 1e12, tier: 'pro', credits: 0 });
    } else if (path === `${API}/voices`) {
      send(200, { total: 1, page: 1, pageSize: 100, totalPages: 1, items: [VOICE] });
    } else if (path === `${API}/speech/tts/jobs` && method === 'POST') {
      if (seen.created === 0) process.send?.('created');
      seen = { ...seen, created: seen.created + 1, firstAt: seen.firstAt || Date.now() };
      const made = { id: `${String(seen.created)}-${String(Date.now() + jobMs)}`, status: 'queued' };
      setTimeout(send, answerMs, 202, made);
    } else if (path.startsWith(`${API}/speech/tts/jobs/`)) {
      const isDone = Date.now() >= Number(id.split('-')[1]);
      const audioUrl = `http://${String(request.headers.host)}/media/${id}`;
      send(200, isDone ? { id, status: 'completed', audioUrl } : { id, status: 'processing' });
    } else send(404, { error: { code: 'ERR_NOT_FOUND', message: 'no such path' } });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => process.send?.(seen));
process.once('disconnect', () => process.exit());
