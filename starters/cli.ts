#!/usr/bin/env node
/** The `voxbatch` program. Loads as little as possible before it knows the command, because start-up time counts. */
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { voxbatchVersion } from '../client/version.ts';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // Scripts call this often, and loading the commands would take longer than answering.
  process.stdout.write(`${voxbatchVersion()}\n`);
} else {
  // Node 22 and newer cache compiled code, which halves start-up time. The cache is the user's own folder, because
  // other users could write code to one in /tmp.
  const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
  const cache = process.env['XDG_CACHE_HOME'] || join(process.env['HOME'] || homedir(), '.cache');
  enableCompileCache?.(join(cache, 'voxbatch', 'compiled'));
  const { start } = await import('./start.ts');
  process.exitCode = await start(args);
}
