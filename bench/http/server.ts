/**
 * A server that answers at once: a job for each POST, a finished job for each GET. It runs in its own process, so that
 * its time does not count as the client's. It reports its port to its parent process, and ends with it.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const CREATED = JSON.stringify({ task: { id: 'tts_0123456789', status: 'queued' }, requestId: 'req_0123456789' });
const FINISHED = JSON.stringify({
  id: 'tts_0123456789',
  status: 'completed',
  audioUrl: 'https://cdn.example/results/tts_0123456789.mp3?expires=1714564800&signature=0123456789abcdef',
  credits_used: 12,
});

const server = http.createServer((request, response) => {
  request.resume().on('end', () => {
    const isPost = request.method === 'POST';
    const body = isPost ? CREATED : FINISHED;
    response.writeHead(isPost ? 202 : 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': 'req_0123456789',
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
