import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROXIES } from './child-process.ts';
import { runCommand } from './run-command.ts';
import { type FetchServerOptions, PINNED_CLI } from './server-binary.ts';

const PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${PINNED_CLI}`;
/** Enough for a slow machine that also downloads the sources, in ms. */
const TIMEOUT_MS = 30 * 60_000;
/** Interval between two progress messages, in ms. */
const TELL_EVERY_MS = 20_000;

/** Builds the pinned release with Go. Returns why it failed, or undefined. */
export async function installServer(options: FetchServerOptions): Promise<string | undefined> {
  const { env, say, signal, target } = options;
  const go = await runCommand('go', ['version'], { env, timeoutMs: 15_000, signal });
  if (!go.ok) return `Go is not there (${go.why})`;
  say(
    `Building the Temporal server with Go: go install ${PACKAGE}. This happens once and takes about 4 minutes on 2 cores.`,
  );
  // Beside the target, because a rename works only within a file system; and outside any module's folder, so that no
  // module's rules apply.
  const folder = mkdtempSync(join(dirname(target), 'go-'));
  const began = performance.now();
  const ticking = setInterval(() => {
    say(`Still building the Temporal server (${Math.round((performance.now() - began) / 1000)} s).`);
  }, TELL_EVERY_MS);
  try {
    const result = await runCommand('go', ['install', PACKAGE], {
      env: { ...env, GOBIN: folder },
      passes: PROXIES,
      cwd: folder,
      timeoutMs: TIMEOUT_MS,
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
