/**
 * What webhooks spare, and what forged ones cost: the same rows without webhooks, with one for each job, and with 10,000
 * forged ones a second besides. `npm run bench:webhooks`; see USAGE. Fails if the results differ, if announced jobs are
 * polled more than 0.2 times each, or if the flood costs more than a fifth of a core. Linux.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findServer } from '../embedded/find-server.ts';
import { freePort } from '../test/chaos/free-port.ts';
import { LiveWorld } from '../test/support/live-world.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { usageOf } from './processes.ts';
import type { FloodEnd, FloodMessage } from './webhooks/flood.ts';

const USAGE = 'npm run bench:webhooks -- [--rows N] [--flood PER-SECOND] [--seconds N]';

/** The most polls a job, and share of a core, that the promises allow. */
const MOST_POLLS = 0.2;
const MOST_SHARE = 0.2;
/** How often the CPU of a process is read, ms; what it used after the last time is not counted. */
const LOOK_EVERY_MS = 50;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '200' },
    flood: { type: 'string', default: '10000' },
    /** How long a job takes. */
    seconds: { type: 'string', default: '20' },
  },
});
const [rows, flood, seconds] = [values.rows, values.flood, values.seconds].map((text) => {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`expected a whole number, got ${JSON.stringify(text)}.\n${USAGE}`);
}) as [number, number, number];

/** What a run came to. */
interface Score {
  readonly digest: string;
  readonly charges: number;
  /** Reads that found a job running, for each job. */
  readonly polls: number;
  /** Of the process that works and listens, with all its threads. */
  readonly cpuMs: number;
  readonly seconds: number;
  readonly flood?: FloodEnd;
}

const server = await findServer({ env: process.env, say: console.error });
process.env['VOXBATCH_TEMPORAL_CLI'] = server.path;
const world = await LiveWorld.create(
  {
    ...{ seed: 1, createMs: [20, 80], jobMs: [seconds * 1_000, seconds * 1_100], webhooks: 'each' },
    shape: 'profile.webhook=webhookUrl',
  },
  'voxbatch-bench-webhooks-',
);
try {
  await world.prepare(rows);
  await world.write('voxbatch.config.json', '{}');
  const scores = {
    none: await measure('none'),
    all: await measure('all', 'each'),
    forged: await measure('forged', 'flood'),
  };
  print(scores);
} finally {
  await world.close();
}

/** Runs the rows as a batch of this name. */
async function measure(name: string, webhooks?: 'each' | 'flood'): Promise<Score> {
  const port = await freePort();
  const flags = ['--webhook', `http://127.0.0.1:${String(port)}/hooks`, '--webhook-port', String(port)];
  const before = (await world.statistics()).jobReads.running;
  const begun = performance.now();
  const running = world.start([
    ...['run', 'lines.csv', '--name', name, '--no-cache'],
    ...(webhooks === undefined ? [] : flags),
  ]);
  let cpuMs = 0;
  const watch = setInterval(() => {
    cpuMs = usageOf(running.child.pid ?? 0)?.cpuMs ?? cpuMs;
  }, LOOK_EVERY_MS);
  const flooding = webhooks === 'flood' ? await beginFlood(port) : undefined;
  const { code, stderr } = await running.ended;
  clearInterval(watch);
  const took = (performance.now() - begun) / 1_000;
  const end = await flooding?.end();
  if (code !== 0) throw new Error(`The run "${name}" ended with ${String(code)}:\n${stderr}`);
  const charges = world.charges(name).size;
  const after = (await world.statistics()).jobReads.running;
  const score = { digest: await digestOf(name), charges, polls: (after - before) / charges, cpuMs, seconds: took };
  return end === undefined ? score : { ...score, flood: end };
}

/** Floods the secret address of the run from the moment that it has one. */
async function beginFlood(port: number): Promise<{ end(): Promise<FloodEnd> }> {
  const child: ChildProcess = fork(fileURLToPath(new URL('webhooks/flood.ts', import.meta.url)));
  const tell = (message: FloodMessage): void => {
    child.send(message);
  };
  const isOurs = (url: string | null): url is string => url?.includes(`:${String(port)}/`) ?? false;
  await waitFor(async () => isOurs(await webhook()));
  tell({ port, path: new URL((await webhook()) ?? '').pathname, perSecond: flood });
  const forging = setInterval(() => {
    tell({ jobIds: world.simulator.ledger().flatMap(({ jobId }) => (jobId === null ? [] : [jobId])) });
  }, 500);
  return {
    end: async () => {
      clearInterval(forging);
      const ended = once(child, 'message') as Promise<[FloodEnd]>;
      tell('end');
      return (await ended)[0];
    },
  };
}

/** The account's webhook, as the API shows it. */
async function webhook(): Promise<string | null> {
  const { url, token } = world.simulator;
  const answer = await fetch(`${url}/profile`, { headers: { authorization: `Bearer ${token}`, connection: 'close' } });
  return ((await answer.json()) as { webhookUrl?: string | null }).webhookUrl ?? null;
}

/** Of what became of each row, and of the media that it has. */
async function digestOf(batch: string): Promise<string> {
  const results = await world.results(batch);
  const lines = [...results].map(([id, row]) => [id, row['_outcome'], row['_sha256'], row['_charged']]);
  return createHash('sha256').update(JSON.stringify(lines.toSorted())).digest('hex').slice(0, 12);
}

function print(scores: Readonly<Record<'none' | 'all' | 'forged', Score>>): void {
  console.log(
    '| webhooks | results | charges | polls a job | CPU s | time s | of a core |\n|---|---|---:|---:|---:|---:|---:|',
  );
  for (const [name, { digest, charges, polls, cpuMs, seconds: took }] of Object.entries(scores)) {
    const figures = [polls.toFixed(2), (cpuMs / 1_000).toFixed(1), took.toFixed(1), percent(cpuMs / 1_000 / took)];
    console.log(`| ${[name, digest, String(charges), ...figures].join(' | ')} |`);
  }
  const { none, all, forged } = scores;
  const share = (forged.cpuMs - all.cpuMs) / 1_000 / forged.seconds;
  const { offered = 0, answered = 0, seconds: flooded = 1 } = forged.flood ?? {};
  const [offers, answers] = [offered, answered].map((count) => (count / flooded).toFixed(0));
  console.log(
    `Forged: ${String(offers)} a second, ${String(answers)} answered; they cost ${percent(share)} of a core.`,
  );
  const broken = [
    ...(none.digest === all.digest && all.digest === forged.digest ? [] : ['the results differ']),
    ...(all.polls <= MOST_POLLS ? [] : [`more than ${String(MOST_POLLS)} polls a job`]),
    ...(share <= MOST_SHARE ? [] : [`the flood costs more than ${percent(MOST_SHARE)} of a core`]),
  ];
  for (const line of broken) console.log(`Broken: ${line}.`);
  if (broken.length > 0) process.exitCode = 1;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
