import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PROXIES, runCommand } from './child-process.ts';
import { type FetchServerOptions, PINNED_CLI } from './server-binary.ts';

/** Time limit for the download, in ms. */
const TIMEOUT_MS = 60_000;

/**
 * The SDK downloads the binary when it starts a test server; we stop the server and keep the file. This runs in its own
 * process, because the SDK's download cannot be aborted, and because the SDK allows only one runtime per process, which
 * is the worker's.
 */
const PROGRAM = `
const { TestWorkflowEnvironment } = require(process.argv[1]);
const executable = { type: 'cached-download', downloadDir: process.argv[2], version: process.argv[3] };
TestWorkflowEnvironment.createLocal({ server: { executable } })
  .then((environment) => environment.teardown())
  .then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });
`;

/** Downloads the official release through the SDK. Returns why that failed; undefined if the binary is at `target`. */
export async function downloadServer(options: FetchServerOptions): Promise<string | undefined> {
  const { say, signal, target } = options;
  say(`No Temporal server found. Downloading the official one (Temporal CLI ${PINNED_CLI}).`);
  // Beside the target, because a rename works only within a file system.
  const folder = mkdtempSync(join(dirname(target), 'download-'));
  try {
    const sdk = createRequire(import.meta.url).resolve('@temporalio/testing');
    const args = ['--input-type=commonjs', '-e', PROGRAM, sdk, folder, `v${PINNED_CLI}`];
    const result = await runCommand(process.execPath, args, {
      env: options.env,
      passes: PROXIES,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    // If only the server's start failed, the file is still there; the caller checks it.
    const file = readdirSync(folder).find((name) => !name.endsWith('.downloading'));
    if (file === undefined) return shorten(result.output) || result.why || 'the SDK left no file';
    renameSync(join(folder, file), target);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the last line, where the error is, at most 300 characters of it. */
function shorten(output: string): string {
  const line = output.trim().split('\n').at(-1) ?? '';
  return line.length > 300 ? `…${line.slice(-300)}` : line;
}

const PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${PINNED_CLI}`;
/** Time limit for the build, in ms: enough for a slow machine that also downloads the sources. */
const BUILD_TIMEOUT_MS = 30 * 60_000;
/** Interval between two progress messages, in ms. */
const PROGRESS_EVERY_MS = 20_000;

/** Builds the pinned release with Go. Returns why that failed; undefined if the binary is at `target`. */
export async function installServer(options: FetchServerOptions): Promise<string | undefined> {
  const { env, say, signal, target } = options;
  const go = await runCommand('go', ['version'], { env, timeoutMs: 15_000, signal });
  if (!go.ok) return `Go is not there (${go.why})`;
  say(
    `Building the Temporal server with Go: go install ${PACKAGE}. This happens once and takes about 5 minutes on 2 cores.`,
  );
  // Beside the target, because a rename works only within a file system; and outside any module's folder, so that no
  // module's rules apply.
  const folder = mkdtempSync(join(dirname(target), 'go-'));
  const startedAt = performance.now();
  const ticking = setInterval(() => {
    say(`Still building the Temporal server (${Math.round((performance.now() - startedAt) / 1000)} s).`);
  }, PROGRESS_EVERY_MS);
  try {
    const result = await runCommand('go', ['install', PACKAGE], {
      env: { ...env, GOBIN: folder },
      passes: PROXIES,
      cwd: folder,
      timeoutMs: BUILD_TIMEOUT_MS,
      signal,
    });
    if (!result.ok) return `go install ${result.why}: ${result.output.slice(-500)}`;
    renameSync(join(folder, 'temporal'), target);
    say('The Temporal server is built.');
    return undefined;
  } finally {
    clearInterval(ticking);
    rmSync(folder, { recursive: true, force: true });
  }
}
