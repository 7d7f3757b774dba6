/**
 * Attacks the simulator with Schemathesis, a fuzzer of OpenAPI services that nobody here wrote: `npm run fuzz:simulator`. It reads the
 * simulator's own document, sends what fits it and what does not, and compares each answer with the document. Further arguments are for
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
  const args = ['run', `${new URL(url).origin}/api/openapi.json`, '-H', `Authorization: Bearer ${TOKEN}`];
  const fixed = ['--seed', '7', '-n', '60', '--generation-database', 'none', '--continue-on-failure'];
  const checks = ['--checks', 'all', '--exclude-checks', LEFT_OUT.join(',')];
  const fuzzer = spawn(FUZZER, [...args, ...fixed, ...checks, ...process.argv.slice(2)], {
    cwd: folder,
    stdio: 'inherit',
  });
  const [code] = await once(fuzzer, 'exit');
  process.exitCode = code ?? 1;
} finally {
  simulator.kill();
  rmSync(folder, { recursive: true });
}
