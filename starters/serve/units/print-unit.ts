import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { openAdmitted } from '../../../client/open-records.ts';
import { VoxbatchError } from '../../../client/problem.ts';
import type { ExitName } from '../../../contract/exit-codes.ts';
import { shellWord } from '../../../contract/shell-word.ts';
import { withoutSecrets } from '../../../contract/url-scheme.ts';
import { makeHome } from '../../../embedded/home.ts';
import { readSettings, type CommandSettings } from '../../connect/settings.ts';
import { ExitError, usageError } from '../../exit-error.ts';
import type { Output } from '../../terminal/output.ts';
import { admittance } from '../../trust/admit-ledger.ts';
import { cronLines, LONGEST_CRON_LINE } from './cron.ts';
import { launchdPlist } from './launchd.ts';
import type { Service } from './service.ts';
import { serviceHere } from './service-here.ts';
import { systemdUnit } from './systemd.ts';
import type { UnitFormat } from './unit-formats.ts';

/** A format of units. */
interface UnitWriter {
  readonly write: (service: Service) => string;
  /** What it cannot hold: said if a value matches. */
  readonly refuses: RegExp;
  /** The commands that install what was printed. */
  readonly install: (service: Service) => readonly string[];
}

const WRITERS: Readonly<Record<UnitFormat, UnitWriter>> = {
  systemd: {
    write: systemdUnit,
    // Of a bare value, systemd cuts spaces at the end, and a backslash there joins the next line.
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
  launchd: {
    write: launchdPlist,
    refuses: /\p{Cc}/u,
    install: ({ name }) => [
      `voxbatch up --print-unit launchd > ~/Library/LaunchAgents/${name}.plist`,
      `launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/${name}.plist`,
    ],
  },
  cron: {
    write: cronLines,
    // Crons differ in what a backslash means.
    refuses: /[\p{Cc}\\]/u,
    install: () => ['(crontab -l; voxbatch up --print-unit cron) | crontab -'],
  },
};

/**
 * `voxbatch up --print-unit`: prints a unit that runs `up` with the folder and settings of this shell, and says on stderr
 * how to install it. Secrets are in no unit: they go to a file that only its owner can read.
 */
export async function printUnit(
  format: UnitFormat,
  { apiUrl }: { readonly apiUrl?: string },
  output: Output,
): Promise<ExitName> {
  const settings = await readSettings();
  const { service, secrets } = serviceHere(settings, apiUrl);
  if (service.environment['VOXBATCH_API_URL'] === undefined && settings.config.api?.url === undefined) {
    throw new ExitError('api', 'No API is configured for the service. Set VOXBATCH_API_URL, or use --api-url.');
  }
  const { write, refuses, install } = WRITERS[format];
  const odd = [service.workingDirectory, ...service.voxbatch, ...Object.values(service.environment)].find((value) =>
    refuses.test(value),
  );
  if (odd !== undefined) throw usageError(`A unit for ${format} cannot hold the value ${JSON.stringify(odd)}.`);
  const open = Object.entries(service.environment).find(([, value]) => isSecretUrl(value))?.[0];
  if (open !== undefined) throw usageError(`A unit holds no secret, and ${open} is a URL with a password or a query.`);
  const unit = write(service);
  if (format === 'cron' && unit.split('\n').some((line) => line.length > LONGEST_CRON_LINE)) {
    throw usageError(
      `cron takes at most ${String(LONGEST_CRON_LINE)} characters in a line: shorten PATH, for example.`,
    );
  }
  await requireOwnHome(settings, output);
  // So that the log, and the file of the environment, have a folder.
  makeHome(settings.home);
  if (secrets.length > 0) makeFolderOf(service.environmentFile);
  output.data(unit.trimEnd());
  if (secrets.length > 0) {
    const file = shellWord(service.environmentFile);
    const values = secrets.map((name) => `"$${name}"`).join(' ');
    const form = secrets.map((name) => `${name}='%s'\\n`).join('');
    output.say('The unit holds no secret. Write those to a file that only you can read:');
    output.say(`  (umask 077 && printf "${form}" ${values} > ${file})`);
  }
  output.say('Then install it:');
  for (const line of install(service)) output.say(`  ${line}`);
  return 'complete';
}

/**
 * The unit names the home, as only its user does, so that must not have come with the folder. Where there is no ledger yet, one is made, which
 * tells at the next call that the home is this user's.
 */
async function requireOwnHome(settings: CommandSettings, output: Pick<Output, 'say'>): Promise<void> {
  const ledger = await openAdmitted(settings, {}, admittance(settings, {}, output));
  await ledger.close();
}

/** Throws {@link VoxbatchError} (`state-unwritable`). */
function makeFolderOf(file: string): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new VoxbatchError({ type: 'state-unwritable', folder, cause });
  }
}

function isSecretUrl(value: string): boolean {
  return value.includes('://') && withoutSecrets(value) !== value;
}
