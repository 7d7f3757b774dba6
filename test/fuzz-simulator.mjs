/**
 * Attacks the simulator with Schemathesis, a fuzzer of OpenAPI services that nobody here wrote: `npm run fuzz:simulator`. It reads the
 * simulator's own documents, of the current paths and of the legacy ones, sends what fits them and what does not, and compares each answer
 * with its document. Further arguments are for
 * Schemathesis (`-- --seed 9 -n 500`). It is a Python program, MIT, and no part of the project: nothing else needs it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const FUZZER = process.env['SCHEMATHESIS'] ?? 'schemathesis';
const TOKEN = 'fuzz';

/**
 * Checks that the simulator fails on purpose. An unknown method gets the web site's page, as at the real service; and a request can fit the
 * document and be refused all the same: no schema says which voices exist.
 */
const LEFT_OUT = ['unsupported_method', 'positive_data_acceptance'];

if (spawnSync(FUZZER, ['--version']).status !== 0) {
  console.error(
    `Cannot run ${FUZZER}. Install it (pip install schemathesis==4.32.5), or set SCHEMATHESIS to where it is.`,
  );
  process.exit(2);
}

const source = ['--import', join(import.meta.dirname, 'chaos/run-typescript.mjs'), 'simulator/main.ts'];
const flags = ['--seed', '7', '--create-ms', '0', '--job-ms', '0-50', '--credits', '1000000000000'];
const simulator = spawn(process.execPath, [...source, ...flags], {
  cwd: join(import.meta.dirname, '..'),
  env: { ...process.env, VOXBATCH_API_TOKEN: TOKEN },
  stdio: ['ignore', 'pipe', 'inherit'],
});
// It leaves a cache where it runs.
const folder = mkdtempSync(join(tmpdir(), 'voxbatch-fuzz-'));
try {
  const [url] = await once(createInterface(simulator.stdout), 'line');
  for (const path of ['/api/openapi.json', '/__simulator/legacy-openapi.json'])
    await fuzz(new URL(path, url).href, folder);
} finally {
  simulator.kill();
  rmSync(folder, { recursive: true });
}

/** Runs the fuzzer with a document; a finding makes this process end with the fuzzer's exit code. */
async function fuzz(document, cwd) {
  const fixed = ['--seed', '7', '-n', '60', '--generation-database', 'none', '--continue-on-failure'];
  const checks = ['--checks', 'all', '--exclude-checks', LEFT_OUT.join(',')];
  const args = ['run', document, '-H', `Authorization: Bearer ${TOKEN}`, ...fixed, ...checks];
  const fuzzer = spawn(FUZZER, [...args, ...process.argv.slice(2)], { cwd, stdio: 'inherit' });
  const [code] = await once(fuzzer, 'exit');
  if (code !== 0) process.exitCode = code ?? 1;
}
