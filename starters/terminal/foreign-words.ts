import type { CommandFacts } from './command-tree.ts';

/** Other tools' names for our commands. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ...each(['retry', 'rerun', 'resubmit'], 'redrive'),
  ...each(['cancel', 'abort', 'kill'], 'stop'),
  ...each(['validate', 'check', 'lint', 'estimate', 'price', 'cost', 'dry-run'], 'plan'),
  ...each(['start', 'submit', 'continue'], 'run'),
  ...each(['ls', 'ps', 'batches'], 'list'),
  ...each(['show', 'info', 'get', 'describe'], 'status'),
  ...each(['follow', 'tail'], 'watch'),
  ...each(['set', 'config', 'limit'], 'tune'),
  ...each(['export', 'download', 'fetch'], 'results'),
  ...each(['serve', 'server', 'daemon'], 'up'),
  ...each(['mock', 'simulator'], 'simulate'),
  ...each(['balance', 'account', 'whoami'], 'profile'),
  ...each(['unpause'], 'resume'),
]);

/** Other tools' names for our flags. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ...each(['--output', '--output-dir', '--outdir', '--dir'], '--out'),
  ...each(['--concurrency', '--parallel', '--workers', '-j'], '--window'),
  ...each(['--retries', '--retry'], '--retakes'),
  ...each(['--max-cost', '--max-credits', '--max-spend'], '--budget'),
  ...each(['--force', '--no-input', '--non-interactive', '-f'], '--yes'),
  ...each(['--background', '-d'], '--detach'),
  ...each(['--dryrun', '--check', '--validate'], '--dry-run'),
  ...each(['--silent'], '--quiet'),
  ...each(['--debug'], '--verbose'),
]);

const LOGS = 'For a row: voxbatch explain ROW. For the worker: .voxbatch/logs/worker.log, or run with --verbose.';

/**
 * The message of a usage error, with our word for one that other tools use, or the commands that take a flag which this
 * one does not. It replaces a guess by spelling.
 */
export function withOurWord(message: string, commands: readonly CommandFacts[]): string {
  const [, what, word = ''] = /unknown (command|option) '([^']*)'/.exec(message) ?? [];
  const hint = what === 'command' ? commandHint(word) : what === 'option' ? flagHint(word, commands) : undefined;
  return hint === undefined ? message : `${message.replace(/\(Did you mean [^()]*\)/, '').trimEnd()}\n(${hint})`;
}

function commandHint(word: string): string | undefined {
  if (word === 'logs' || word === 'log') return LOGS;
  const ours = COMMANDS.get(word);
  return ours === undefined ? undefined : `Did you mean ${ours}?`;
}

function flagHint(word: string, commands: readonly CommandFacts[]): string | undefined {
  const ours = FLAGS.get(word) ?? word;
  const takers = commands.filter(({ flags }) => flags.some(({ words }) => words.includes(ours)));
  const names = takers.map(({ path }) => path).filter((path) => path !== '');
  if (names.length === 0) return undefined;
  const taken = names.length === 1 ? `Only ${names[0] ?? ''} takes ${ours}` : `These take ${ours}: ${names.join(', ')}`;
  return ours === word ? taken : `Did you mean ${ours}? ${taken}`;
}

function each(words: readonly string[], ours: string): [string, string][] {
  return words.map((word) => [word, ours]);
}
