import { requireKnownLedger, rememberLedger, standingOfLedger } from '../../client/trust/known-ledgers.ts';
import type { Settings } from '../../client/settings.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import { parseScheduledRun } from '../../inputs/scheduled-run.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { askYesNo } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';
import { mayAsk } from './confirmed-settings.ts';
import { hostOf, visible } from './member-words.ts';

/**
 * Lets a command work with a ledger that its user has made or confirmed; on a terminal it asks about any other. Throws
 * `VoxbatchError` (`ledger-unconfirmed`, `state-unwritable`).
 */
async function admitLedger(
  settings: Settings,
  ledger: Ledger,
  { say, yes = false }: Pick<Output, 'say'> & { readonly yes?: boolean },
): Promise<void> {
  const standing = standingOfLedger(settings, ledger);
  if (standing === 'adopted') {
    say(`${ledger.place} was made here by an earlier version. From now on it is on record as yours.`);
    return;
  }
  if (standing === 'known') return;
  if (mayAsk({ yes })) {
    const lines = [`You have not made the ledger ${ledger.place} on this machine:`, ...(await ledgerLines(ledger))];
    if (await askYesNo(`${lines.join('\n')}\nTake it as yours?`)) {
      rememberLedger(settings, ledger);
      return;
    }
  }
  requireKnownLedger(settings, ledger);
}

/** The same, for a session. */
export function admittance(
  settings: Settings,
  flags: { readonly yes?: boolean },
  { say }: Pick<Output, 'say'>,
): (ledger: Ledger) => Promise<void> {
  return (ledger) => admitLedger(settings, ledger, { say, ...flags });
}

/** What a ledger holds that could spend or run commands, for a person who is to confirm it. */
export async function ledgerLines(ledger: Ledger): Promise<readonly string[]> {
  const batches = await ledger.listBatches();
  const open = batches.filter(({ state }) => state !== 'closed');
  const schedules = await ledger.knownSchedules();
  return [
    `  batches: ${String(batches.length)}, of which ${String(open.length)} ${open.length === 1 ? 'is' : 'are'} open`,
    ...new Set(batches.map(({ apiUrl, account }) => `  account: ${visible(account)} at ${visible(apiUrl)}`)),
    ...new Set(batches.flatMap(({ settings }) => hookLines('a batch', settings))),
    `  schedules: ${schedules.length === 0 ? 'none' : String(schedules.length)}`,
    ...(await Promise.all(schedules.map(({ name }) => scheduleLines(ledger, name)))).flat(),
  ];
}

async function scheduleLines(ledger: Ledger, name: string): Promise<readonly string[]> {
  const shown = `schedule ${visible(name)}`;
  const settings = (await ledger.scheduleRecord(name))?.settings;
  const run = parseScheduledRun(settings?.run);
  return [
    ...(settings === undefined
      ? []
      : [`  account of ${shown}: ${visible(settings.account)} at ${visible(settings.apiUrl)}`]),
    ...(run === undefined
      ? [`  ${shown}: what it runs is not on record here`]
      : [
          `  manifest of ${shown}: ${visible(run.manifest)}`,
          `  folder of the files of ${shown}: ${visible(run.outFolder)}`,
        ]),
    ...hookLines(shown, await ledger.scheduleHooks(name)),
  ];
}

function hookLines(of: string, { onEnd = null, notify = null }: Partial<ScheduleHooks>): readonly string[] {
  return [
    ...(onEnd === null ? [] : [`  command of ${of}: ${visible(onEnd)}`]),
    ...(notify === null ? [] : [`  messages of ${of}: to ${visible(hostOf(notify))}`]),
  ];
}
