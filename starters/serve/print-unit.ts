import type { RunContext } from '../command-context.ts';
import { makeFoldersFor, secretSettingOf, serviceHere } from '../../client/work/service-here.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { openSession } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { admittance } from '../trust/admit-ledger.ts';
import type { Flags } from '../commands/flags.ts';
import { pathOfCli } from './spawn-up.ts';
import { LONGEST_CRON_LINE, UNITS } from './units.ts';

/**
 * `voxbatch up --print-unit`: prints a unit that runs `up` with the folder and settings of this shell, and says on stderr
 * how to install it. Secrets are in no unit: they go to a file that only its owner can read.
 */
export async function printUnit(
  { printUnit: format = 'systemd', apiUrl, webhook }: Flags,
  { output }: RunContext,
): Promise<ExitName> {
  if (webhook !== undefined)
    throw usageError('--print-unit does not take --webhook: add it to the command in the unit.');
  const settings = await readSettings();
  const here = serviceHere(settings, { apiUrl, cli: pathOfCli() });
  const { service, secrets } = here;
  if (service.environment['VOXBATCH_API_URL'] === undefined && settings.config.api?.url === undefined) {
    throw new ExitError('api', 'No API is configured for the service. Set VOXBATCH_API_URL, or use --api-url.');
  }
  const { write, refuses, install } = UNITS[format];
  const values = [service.workingDirectory, ...service.voxbatch, ...Object.values(service.environment)];
  const odd = values.find((value) => refuses.test(value));
  if (odd !== undefined) throw usageError(`A unit for ${format} cannot hold the value ${JSON.stringify(odd)}.`);
  const open = secretSettingOf(service);
  if (open !== undefined) throw usageError(`A unit holds no secret, and ${open} is a URL with a password or a query.`);
  const unit = write(service);
  if (format === 'cron' && unit.split('\n').some((line) => line.length > LONGEST_CRON_LINE)) {
    throw usageError(`cron takes at most ${LONGEST_CRON_LINE} characters in a line: shorten PATH, for example.`);
  }
  // The unit names the home, as only its user does, so that must not have come with the folder. Where there is no ledger yet, one is made, which
  // tells at the next call that the home is this user's.
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
