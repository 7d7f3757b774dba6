import type { ScheduleHooks } from '../../contract/schedule.ts';
import { parseScheduledRun } from '../../inputs/scheduled-run.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { hostOf, visible } from './member-words.ts';

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
