#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { voxbatchVersion } from '../client/version.ts';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // Scripts ask for it often; loading anything takes longer than the answer.
  process.stdout.write(`${voxbatchVersion()}\n`);
} else {
  // Node 22 and newer cache compiled code, which halves the time until a command begins. In our own cache, not in /tmp,
  // which others can write to.
  const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
  const cache = process.env['XDG_CACHE_HOME'] || join(process.env['HOME'] || homedir(), '.cache');
  enableCompileCache?.(join(cache, 'voxbatch', 'compiled'));
  const { start } = await import('./start.ts');
  process.exitCode = await start(args);
}
