/**
 * Cost of the way to the API: the same create and read, over Node's bare client, over plain axios, over axios with this
 * project's adapter, and over the whole client. `npm run bench:http`; see USAGE. Rounds alternate, so other load on the
 * machine falls on all of them.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { createSpeechApi } from '../api/create-api.ts';
import { makeRequest } from '../api/http.ts';
import { bare, exchange, type Pair, speechApi, stockAxios } from './http/clients.ts';

const USAGE = 'npm run bench:http -- [--rounds N] [--pairs N] [--width N] [--before FOLDER]';

/** CPU and wall time of one request, in microseconds. */
interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

const { values } = parseArgs({
  options: {
    /** Counted rounds; one more runs before them. */
    rounds: { type: 'string', default: '9' },
    /** Creates with their reads per round, for each client. */
    pairs: { type: 'string', default: '2000' },
    /** Concurrent pairs. */
    width: { type: 'string', default: '16' },
    /** A checkout of an older version, whose client joins as `before`. */
    before: { type: 'string' },
  },
});
const [rounds, pairs, width] = [values.rounds, values.pairs, values.width].map((text) => {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`expected a whole number, got ${JSON.stringify(text)}.\n${USAGE}`);
}) as [number, number, number];

const server = fork(fileURLToPath(new URL('http/server.ts', import.meta.url)));
try {
  const [port] = (await once(server, 'message')) as [number];
  const origin = `http://127.0.0.1:${String(port)}`;
  const clients: Record<string, Pair> = {
    'bare node:http': bare(origin),
    'our exchange': exchange(origin, makeRequest),
    'axios over our exchange': exchange(origin, (request) => makeRequest({ ...request, isPaid: true })),
    'the whole client': speechApi(origin),
    'axios as it comes': stockAxios(origin),
  };
  if (values.before !== undefined) {
    const file = pathToFileURL(resolve(values.before, 'api/create-api.ts')).href;
    const older = (await import(file)) as { createSpeechApi: typeof createSpeechApi };
    clients['the whole client, before'] = speechApi(origin, older.createSpeechApi);
  }
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, pair] of Object.entries(clients)) {
      const cost = await measure(pair);
      if (round > 0) costs.set(name, [...(costs.get(name) ?? []), cost]);
    }
  }
  print(costs);
} finally {
  server.disconnect();
}
process.exit();

async function measure(pair: Pair): Promise<Cost> {
  let left = pairs;
  const begun = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left-- > 0) await pair();
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / pairs / 2, wall: ((performance.now() - begun) * 1_000) / pairs / 2 };
}

function print(costs: ReadonlyMap<string, readonly Cost[]>): void {
  const base = [...costs.values()][0] ?? [];
  console.log('| | requests/s | CPU µs a request | CPU ÷ bare | time ÷ bare |\n|---|---:|---:|---:|---:|');
  for (const [name, rows] of costs) {
    const wall = median(rows.map((cost) => cost.wall));
    const cpu = median(rows.map((cost) => cost.cpu));
    const ratio = (part: keyof Cost): string =>
      median(rows.map((cost, round) => cost[part] / (base[round]?.[part] ?? Number.NaN))).toFixed(2);
    console.log(`| ${name} | ${(1e6 / wall).toFixed(0)} | ${cpu.toFixed(0)} | ${ratio('cpu')} | ${ratio('wall')} |`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >>> 1;
  return ((sorted[middle] ?? Number.NaN) + (sorted[sorted.length - 1 - middle] ?? Number.NaN)) / 2;
}
