import http from 'node:http';
import type { Simulator } from '../../simulator/start-simulator.ts';
import { listen } from './api-server.ts';

/** The one address of an API that has several accounts: each request goes to the simulator whose token it carries. Returns the URL. */
export async function serveByToken(simulators: readonly Simulator[]): Promise<string> {
  const server = http.createServer((request, response) => {
    const own = simulators.find(({ token }) => request.headers.authorization === `Bearer ${token}`) ?? simulators[0];
    const { hostname, port } = new URL(own?.url ?? '');
    const { method, url: path, headers } = request;
    const passed = http.request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  const { origin } = await listen(server, []);
  return `${origin}${new URL(simulators[0]?.url ?? '').pathname}`;
}
