import { isDeepStrictEqual } from 'node:util';
import type { BatchSettings } from '../../contract/batch.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import { parseScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { hostOf, visible, visiblePath } from './member-words.ts';

/** What a ledger holds that could spend or run commands, for a person who is to confirm it. */
export async function ledgerLines(ledger: Ledger): Promise<readonly string[]> {
  const batches = await ledger.listBatches();
  const open = batches.filter(({ state }) => state !== 'closed');
  const schedules = await ledger.knownSchedules();
  return [
    `  batches: ${String(batches.length)}, of which ${String(open.length)} ${open.length === 1 ? 'is' : 'are'} open`,
    ...new Set(batches.map(({ apiUrl, account }) => `  account: ${visible(account)} at ${visible(apiUrl)}`)),
    ...new Set(
      batches.flatMap(({ settings }) => [...hookLines('a batch', settings), ...riskLines('a batch', settings)]),
    ),
    `  schedules: ${schedules.length === 0 ? 'none' : String(schedules.length)}`,
    ...(await Promise.all(schedules.map(({ name }) => scheduleLines(ledger, name)))).flat(),
  ];
}

/** What to consider before a ledger is confirmed: nothing tells one that was moved from a copy. */
export const COPY_LINE =
  '  if you moved it here, go on; if this is a copy, do not use both: each pays again for what the other sends';

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
          ...riskLines(shown, { ...run, ...run.tunables }),
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

/** What may have more paid than a new batch would without settings. */
interface RiskySettings {
  readonly onUnknown?: BatchSettings['onUnknown'] | undefined;
  readonly retakes?: number | undefined;
  readonly prices?: object | undefined;
}

function riskLines(of: string, { onUnknown = 'hold', retakes = 0, prices }: RiskySettings): readonly string[] {
  const isPricedOtherwise = prices !== undefined && !isDeepStrictEqual(prices, BUILT_IN_PRICES);
  return [
    ...(onUnknown === 'hold' ? [] : [`  onUnknown of ${of}: ${visible(onUnknown)}`]),
    ...(retakes === 0 ? [] : [`  retakes of ${of}: ${visible(retakes)}`]),
    ...(isPricedOtherwise ? [`  prices of ${of}: ${visible(prices)}`] : []),
  ];
}

/**
 * Why a ledger of somebody else cannot be confirmed, as a sentence; undefined if it can be: parts of its database that are not ours could change
 * what it does after it was looked at.
 */
export async function whyNotConfirmable(ledger: Ledger): Promise<string | undefined> {
  const parts = await ledger.strangeParts();
  if (parts.length === 0) return undefined;
  const named = parts.slice(0, NAMED_PARTS).join(', ');
  return `The ledger ${visiblePath(ledger.place)} cannot be confirmed: its database is not as voxbatch makes it (${visible(named).slice(1, -1)}), so it may do other things than it shows.`;
}

const NAMED_PARTS = 5;
