import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What is answered at a port of this machine. */
export async function ask(port: number, path: string): Promise<{ readonly status: number; readonly body: string }> {
  const [answer] = (await once(get({ port, path, agent: false }), 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

/** The time series at a port, as they are written, with their values. */
export async function scrape(port: number): Promise<ReadonlyMap<string, number>> {
  const { status, body } = await ask(port, '/metrics');
  if (status !== 200) throw new Error(`The scrape was answered with ${String(status)}: ${body}`);
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The sum of the series that begin like this. */
export function sumOf(series: ReadonlyMap<string, number>, begin: string): number {
  return [...series].reduce((sum, [name, value]) => (name.startsWith(begin) ? sum + value : sum), 0);
}
