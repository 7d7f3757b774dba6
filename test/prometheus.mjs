import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';
import { findGoProgram } from './go-program.mjs';

/** The Prometheus that tests ask. */
const MODULE = 'github.com/prometheus/prometheus/cmd/prometheus@v0.316.0';
const SCRAPE_EVERY = '500ms';
/** How long it may take to start, ms. */
const START_MS = 60_000;
/** What is shown of its log, characters. */
const SHOWN = 2_000;

/** The path of Prometheus. Go builds it without what finds machines in clouds, which is most of it. */
export function findPrometheus() {
  return findGoProgram({
    variable: 'PROMETHEUS_BIN',
    name: 'prometheus',
    module: MODULE,
    flags: ['-tags', 'remove_all_sd'],
    what: 'Prometheus',
    advice: 'Install it from https://prometheus.io, or name it in PROMETHEUS_BIN.',
  });
}

/**
 * Starts a Prometheus that reads these ports of this machine, with these files of rules. `query` is its answer to an
 * expression: series with their labels and values. `stop` ends it and removes what it had.
 */
export async function startPrometheus(ports, rules = []) {
  const program = findPrometheus();
  const folder = mkdtempSync(join(tmpdir(), 'vb-prometheus-'));
  const [config, log] = ['prometheus.json', 'log'].map((name) => join(folder, name));
  const targets = ports.map((port) => `127.0.0.1:${port}`);
  const global = { scrape_interval: SCRAPE_EVERY, scrape_timeout: SCRAPE_EVERY, evaluation_interval: SCRAPE_EVERY };
  // JSON is YAML.
  const jobs = [{ job_name: 'voxbatch', static_configs: [{ targets }] }];
  writeFileSync(config, JSON.stringify({ global, rule_files: rules, scrape_configs: jobs }));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const output = openSync(log, 'a');
  const place = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const server = spawn(program, [...place, `--web.listen-address=127.0.0.1:${port}`], {
    cwd: folder,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const get = async (path, parameters) => {
    const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`, {
      headers: { connection: 'close' },
    });
    const { status, data, error } = await answer.json();
    if (status !== 'success') throw new Error(`Prometheus refuses ${JSON.stringify(parameters)}: ${error}`);
    return data;
  };
  const query = async (expression) => {
    const { resultType, result } = await get('query', { query: expression });
    if (resultType !== 'vector') throw new Error(`${expression} is a ${resultType}, and no vector.`);
    return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  };
  const rulesNow = async () => (await get('rules', {})).groups.flatMap((group) => group.rules);
  for (const begun = performance.now(); ; await sleep(100)) {
    const isReady = await fetch(`${url}/-/ready`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { query, rules: rulesNow, stop };
    if (server.exitCode === null && performance.now() - begun < START_MS) continue;
    const said = readFileSync(log, 'utf8').slice(-SHOWN);
    await stop();
    throw new Error(`Prometheus did not start: ${said}`);
  }
}
