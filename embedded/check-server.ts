import { runCommand } from './run-command.ts';
import type { ServerBinary } from './server-binary.ts';

/** Workflow updates, which control a batch, are generally available from this server version on. */
const OLDEST = '1.25.0';
const CHECK_TIMEOUT_MS = 15_000;

/** Runs `--version`. Returns the binary, or a sentence that says why it can't be used. */
export async function checkServer(
  path: string,
  options: { readonly env: NodeJS.ProcessEnv; readonly signal?: AbortSignal | undefined },
): Promise<ServerBinary | string> {
  const result = await runCommand(path, ['--version'], { ...options, timeoutMs: CHECK_TIMEOUT_MS });
  if (!result.ok) return `${path} --version: ${result.why}`;
  const version = /temporal version .*Server v?(\d+\.\d+\.\d+)/i.exec(result.output)?.[1];
  if (version === undefined) {
    return `${path} is not the Temporal command line: --version printed "${result.output.slice(0, 100)}"`;
  }
  if (compareVersions(version, OLDEST) < 0) return `${path} has server ${version}; ${OLDEST} or newer is needed`;
  return { path, version };
}

/** Below 0 if `a` is older than `b`, 0 if they are equal. Versions are three numbers with dots. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
