import { type Service, makeFoldersFor, secretSettingOf, describeService } from '../../client/work/folder-service.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { Flags } from '../commands/flags.ts';
import type { RunContext } from '../terminal/output.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openSession } from '../connect/connect-api.ts';
import { readSettings } from '../connect/settings.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { admittance } from '../trust/confirm.ts';
import { pathOfCli } from './spawn-up.ts';

/**
 * `voxbatch up --print-unit`: prints a service definition (systemd, launchd, cron) that runs `up` with the folder and
 * settings of this shell, and on stderr how to install it. It holds no secrets: those go to a file that only its owner
 * can read.
 */
export async function printUnit(
  { printUnit: format = 'systemd', apiUrl, webhook }: Flags,
  { output }: RunContext,
): Promise<ExitName> {
  if (webhook !== undefined)
    throw usageError('--print-unit does not take --webhook: add it to the command in the unit.');
  const settings = await readSettings();
  const here = describeService(settings, { apiUrl, cli: pathOfCli() });
  const { service, secrets } = here;
  if (service.environment['VOXBATCH_API_URL'] === undefined && settings.config.api?.url === undefined) {
    throw new ExitError('api', 'No API is configured for the service. Set VOXBATCH_API_URL, or use --api-url.');
  }
  const { write, refuses, install } = UNITS[format];
  const values = [service.workingDirectory, ...service.voxbatch, ...Object.values(service.environment)];
  const unusable = values.find((value) => refuses.test(value));
  if (unusable !== undefined)
    throw usageError(`A unit for ${format} cannot hold the value ${JSON.stringify(unusable)}.`);
  const secretSetting = secretSettingOf(service);
  if (secretSetting !== undefined)
    throw usageError(`A unit holds no secret, and ${secretSetting} is a URL with a password or a query.`);
  const unit = write(service);
  if (format === 'cron' && unit.split('\n').some((line) => line.length > MAX_CRON_LINE)) {
    throw usageError(`cron takes at most ${MAX_CRON_LINE} characters in a line: shorten PATH, for example.`);
  }
  // The unit names the home explicitly, and a home that is named counts as trusted: so it is checked here that the
  // ledger is the user's. A missing ledger is created, which makes the home trusted for the next call.
  const session = openSession(settings, {}, { admit: admittance(settings, {}, output) });
  await session.ledger().finally(() => session.close());
  makeFoldersFor(here, settings);
  output.data(unit.trimEnd());
  if (secrets.length > 0) {
    const file = shellWord(service.environmentFile);
    const written = secrets.map((name) => `"$${name}"`).join(' ');
    const form = secrets.map((name) => `${name}='%s'\\n`).join('');
    output.say('The unit holds no secret. Write those to a file that only you can read:');
    output.say(`  (umask 077 && printf "${form}" ${written} > ${file})`);
  }
  output.say('Then install it:');
  for (const line of install(service)) output.say(`  ${line}`);
  return 'complete';
}

/** How long a service manager waits after SIGTERM, s: `up` stops within 40 s, and a busy disk may add to that. */
export const STOP_TIMEOUT_S = 60;
/** Pause before a restart, s. Restarts are unlimited, so that a service survives a night without the API. */
export const RESTART_AFTER_S = 10;
/** How long a start may take, minutes: the first one may build the Temporal server. */
const START_TIMEOUT_MIN = 10;
/** Common crons cut or refuse longer lines, in characters. */
export const MAX_CRON_LINE = 998;

/** Writes a service's configuration for a service manager. */
interface UnitWriter {
  readonly write: (service: Service) => string;
  /** Matches values that it cannot represent; these are reported. */
  readonly refuses: RegExp;
  /** The commands that install what was printed. */
  readonly install: (service: Service) => readonly string[];
}

/** The formats of `up --print-unit`. */
export const UNITS: Readonly<Record<NonNullable<Flags['printUnit']>, UnitWriter>> = {
  /**
   * A unit file for systemd 240 or newer. `KillMode=mixed`: SIGTERM goes to `up` alone, which stops its server last;
   * what is left then, as after a crash, is killed. `ExecStartPost` makes the unit count as started only once it is
   * ready.
   */
  systemd: {
    write: ({ voxbatch, workingDirectory, environment, environmentFile, needsFile, isRoot }) => `[Unit]
Description=voxbatch in ${specifiersEscaped(workingDirectory)}
${isRoot ? 'Wants=network-online.target\nAfter=network-online.target\n' : ''}StartLimitIntervalSec=0

[Service]
Type=exec
WorkingDirectory=${specifiersEscaped(workingDirectory)}
${linesOf(environment, (name, value) => `Environment=${quoted(`${name}=${value}`)}\n`)}EnvironmentFile=${needsFile ? '' : '-'}${specifiersEscaped(globEscaped(environmentFile))}
ExecStart=${commandLine([...voxbatch, 'up'])}
ExecStartPost=${commandLine([...voxbatch, 'up', '--wait', `${START_TIMEOUT_MIN}m`])}
TimeoutStartSec=${START_TIMEOUT_MIN + 1}min
Restart=always
RestartSec=${RESTART_AFTER_S}
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=${STOP_TIMEOUT_S}

[Install]
WantedBy=${isRoot ? 'multi-user' : 'default'}.target
`,
    // systemd cuts spaces at the end of an unquoted value, and reads a backslash there as a line continuation.
    refuses: /\p{Cc}|[\s\\]$/u,
    install: ({ name, isRoot }) => {
      const [folder, systemctl] = isRoot
        ? ['/etc/systemd/system', 'systemctl']
        : ['~/.config/systemd/user', 'systemctl --user'];
      return [
        `mkdir -p ${folder} && voxbatch up --print-unit systemd > ${folder}/${name}.service`,
        `${systemctl} daemon-reload && ${systemctl} enable --now ${name}`,
        ...(isRoot ? [] : ['loginctl enable-linger   # so that it runs while you are not logged in']),
      ];
    },
  },
  /**
   * A property list for launchd, which reads no environment file: so a shell reads it, then replaces itself with `up`,
   * and signals reach `up`.
   */
  launchd: {
    write: ({ name, voxbatch, workingDirectory, environment, environmentFile, needsFile, log }) => {
      const read = needsFile ? '. "$0"' : 'if [ -r "$0" ]; then . "$0"; fi';
      const program = ['/bin/sh', '-c', `set -a; ${read}; set +a; exec "$@"`, environmentFile, ...voxbatch, 'up'];
      return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${xmlString(name)}
  <key>ProgramArguments</key>
  <array>
${program.map((word) => `    ${xmlString(word)}\n`).join('')}  </array>
  <key>WorkingDirectory</key>
  ${xmlString(workingDirectory)}
  <key>EnvironmentVariables</key>
  <dict>
${linesOf(environment, (variable, value) => `    <key>${xmlEscaped(variable)}</key>\n    ${xmlString(value)}\n`)}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>${RESTART_AFTER_S}</integer>
  <key>ExitTimeOut</key>
  <integer>${STOP_TIMEOUT_S}</integer>
  <key>StandardOutPath</key>
  ${xmlString(log)}
  <key>StandardErrorPath</key>
  ${xmlString(log)}
</dict>
</plist>
`;
    },
    refuses: /\p{Cc}/u,
    install: ({ name }) => [
      `voxbatch up --print-unit launchd > ~/Library/LaunchAgents/${name}.plist`,
      `launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/${name}.plist`,
    ],
  },
  /**
   * Two lines for a crontab: cron starts `up` after a boot and again every 5 minutes, where it ends at once and
   * silently if it runs already.
   */
  cron: {
    write: ({ name, voxbatch, workingDirectory, environment, environmentFile, needsFile, log }) => {
      const file = shellWord(environmentFile);
      const read = needsFile ? `. ${file}` : `{ [ ! -r ${file} ] || . ${file}; }`;
      const settings = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`);
      const words = ['env', ...settings, ...voxbatch, 'up', '--unless-running'].map(shellWord).join(' ');
      const start = `cd ${shellWord(workingDirectory)} && set -a && ${read} && exec ${words} >> ${shellWord(log)} 2>&1`;
      // cron reads a bare `%` as the end of the line.
      const command = start.replaceAll('%', String.raw`\%`);
      return `# ${name}\n@reboot ${command}\n*/5 * * * * ${command}\n`;
    },
    // Crons differ in what a backslash means.
    refuses: /[\p{Cc}\\]/u,
    install: () => ['(crontab -l; voxbatch up --print-unit cron) | crontab -'],
  },
};

/** Returns the lines that `write` makes of each variable. */
function linesOf(environment: Service['environment'], write: (name: string, value: string) => string): string {
  return Object.entries(environment)
    .map(([name, value]) => write(name, value))
    .join('');
}

/** Formats a command for systemd, where `$` begins a variable in arguments, but not in the program. */
function commandLine([program = '', ...args]: readonly string[]): string {
  return [quoted(program), ...args.map((arg) => quoted(arg.replaceAll('$', '$$$$')))].join(' ');
}

/** Returns a word for systemd, in double quotes if it needs them. */
function quoted(word: string): string {
  if (/^[\w./:@+,=-]+$/.test(word)) return word;
  return `"${specifiersEscaped(word).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** Escapes `%`, which begins a specifier of systemd. */
function specifiersEscaped(text: string): string {
  return text.replaceAll('%', '%%');
}

/** Escapes glob characters, since systemd reads the path of an environment file as a pattern. */
function globEscaped(path: string): string {
  return path.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
}

function xmlString(text: string): string {
  return `<string>${xmlEscaped(text)}</string>`;
}

function xmlEscaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
