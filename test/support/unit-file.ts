/** A unit file, read by the rules of systemd.syntax(7), systemd.service(5) and systemd.exec(5). What those leave open is refused. */
export interface UnitFile {
  readonly execStart: readonly string[];
  readonly execStartPost: readonly string[];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly environmentFile: { readonly path: string; readonly isOptional: boolean };
  readonly restart: string;
  readonly killMode: string;
  readonly killSignal: NodeJS.Signals;
  readonly restartMs: number;
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
}

/** Reads a unit. Throws for a setting that it does not know. */
export function parseUnit(text: string): UnitFile {
  const settings = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('[') || line.startsWith('#')) continue;
    const [, name = '', written = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    const value = written.trimEnd();
    if (!KNOWN.has(name)) throw new Error(`a line that nobody knows: ${line}`);
    if (value.endsWith('\\')) throw new Error(`a line that goes on in the next one: ${line}`);
    settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  const one = (name: string): string => {
    const [value, ...others] = settings.get(name) ?? [];
    if (value === undefined || others.length > 0) throw new Error(`expected one ${name}`);
    return value;
  };
  const file = one('EnvironmentFile');
  const assignments = (settings.get('Environment') ?? []).flatMap(wordsOf).map(specified);
  return {
    execStart: commandOf(one('ExecStart')),
    execStartPost: commandOf(one('ExecStartPost')),
    // Both are taken as they stand: quotes are part of the path.
    workingDirectory: specified(one('WorkingDirectory')),
    environmentFile: { path: unglobbed(specified(file.replace(/^-/, ''))), isOptional: file.startsWith('-') },
    environment: Object.fromEntries(assignments.map(assigned)),
    restart: one('Restart'),
    killMode: one('KillMode'),
    killSignal: one('KillSignal') as NodeJS.Signals,
    restartMs: spanOf(one('RestartSec')),
    startTimeoutMs: spanOf(one('TimeoutStartSec')),
    stopTimeoutMs: spanOf(one('TimeoutStopSec')),
  };
}

/** Reads a file of the environment: `NAME=value` or `NAME='value'` in each line. */
export function parseEnvironmentFile(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => assigned(line.replace(/='(.*)'$/, '=$1'))));
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['Description', 'Wants', 'After', 'StartLimitIntervalSec', 'WantedBy', 'Type', 'WorkingDirectory', 'Environment'],
  ...['EnvironmentFile', 'ExecStart', 'ExecStartPost', 'TimeoutStartSec', 'Restart', 'RestartSec', 'KillMode'],
  ...['KillSignal', 'TimeoutStopSec'],
]);

function commandOf(value: string): readonly string[] {
  const [program = '', ...args] = wordsOf(value).map(specified);
  if (!program.startsWith('/')) throw new Error(`expected an absolute path, got ${program}`);
  return [program, ...args.map(expanded)];
}

/** Splits at spaces that are not quoted; `\` takes the next quote, `\` or space as it is. */
function wordsOf(value: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < value.length; at += 1) {
    const letter = value[at] ?? '';
    if (letter === '\\') {
      at += 1;
      const next = value[at] ?? '';
      if (!/["'\\ ]/.test(next)) throw new Error(`an escape that is not expected: \\${next}`);
      word = (word ?? '') + next;
    } else if (quote !== '' && letter === quote) quote = '';
    else if (quote === '' && /["']/.test(letter)) {
      quote = letter;
      word ??= '';
    } else if (quote === '' && letter === ' ') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (quote !== '') throw new Error(`a quote that does not end: ${value}`);
  return word === undefined ? words : [...words, word];
}

/** `%%` is a per cent sign; any other specifier would stand for something else. */
function specified(text: string): string {
  return text.replaceAll(/%(.?)/g, (all, next: string) => {
    if (next !== '%') throw new Error(`a specifier that is not expected: ${all}`);
    return '%';
  });
}

/** `$$` is a dollar sign; any other one begins a variable. */
function expanded(text: string): string {
  return text.replaceAll(/\$(.?)/g, (all, next: string) => {
    if (next !== '$') throw new Error(`a variable that is not expected: ${all}`);
    return '$';
  });
}

/** The one file that a pattern matches. */
function unglobbed(pattern: string): string {
  if (/(^|[^\\])[*?[]/.test(pattern)) throw new Error(`a pattern that may match other files: ${pattern}`);
  return pattern.replaceAll(/\\(.)/g, '$1');
}

function assigned(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (!/^\w+$/.test(text.slice(0, at))) throw new Error(`expected NAME=value, got ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** A time span, as ms. */
function spanOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d+)(min|s)?$/.exec(text) ?? [];
  if (count === '') throw new Error(`expected a time span, got ${text}`);
  return Number(count) * (unit === 'min' ? 60_000 : 1_000);
}
