import { RESTART_AFTER_S, START_TIMEOUT_MIN, STOP_TIMEOUT_S, type Service } from './service.ts';

/**
 * A unit file for systemd 240 or newer. `KillMode=mixed`: SIGTERM goes to `up` alone, which stops its server last;
 * what is left then, as after a crash, is killed. `ExecStartPost` makes the unit count as started only once it is ready.
 */
export function systemdUnit(service: Service): string {
  const { voxbatch, workingDirectory, environment, environmentFile, needsFile, isRoot } = service;
  const optional = needsFile ? '' : '-';
  return [
    '[Unit]',
    `Description=voxbatch in ${specifiersEscaped(workingDirectory)}`,
    ...(isRoot ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=exec',
    `WorkingDirectory=${specifiersEscaped(workingDirectory)}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    `EnvironmentFile=${optional}${specifiersEscaped(globEscaped(environmentFile))}`,
    `ExecStart=${commandLine([...voxbatch, 'up'])}`,
    `ExecStartPost=${commandLine([...voxbatch, 'up', '--wait', `${String(START_TIMEOUT_MIN)}m`])}`,
    `TimeoutStartSec=${String(START_TIMEOUT_MIN + 1)}min`,
    'Restart=always',
    `RestartSec=${String(RESTART_AFTER_S)}`,
    'KillMode=mixed',
    'KillSignal=SIGTERM',
    `TimeoutStopSec=${String(STOP_TIMEOUT_S)}`,
    '',
    '[Install]',
    `WantedBy=${isRoot ? 'multi-user' : 'default'}.target`,
    '',
  ].join('\n');
}

/** The program is taken as it is; in its arguments, `$` would begin a variable. */
function commandLine([program = '', ...args]: readonly string[]): string {
  return [quoted(program), ...args.map((arg) => quoted(arg.replaceAll('$', '$$$$')))].join(' ');
}

/** A word in double quotes, if it needs them. */
function quoted(word: string): string {
  if (/^[\w./:@+,=-]+$/.test(word)) return word;
  return `"${specifiersEscaped(word).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** `%` begins a specifier, such as the name of the unit. */
function specifiersEscaped(text: string): string {
  return text.replaceAll('%', '%%');
}

/** The file of the environment is a pattern. */
function globEscaped(path: string): string {
  return path.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
}
