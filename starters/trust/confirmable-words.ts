import { isDeepStrictEqual } from 'node:util';
import {
  confirmablesIn,
  type Confirmable,
  type LedgerContents,
  type ScheduleContents,
} from '../../client/trust/confirmables.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import type { OwnOperation } from '../../contract/own-operations/own-operation.ts';
import { BUILT_IN_PRICES, factsOf, OPERATIONS } from '../../contract/row-kinds.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { findToken } from '../connect/api-token.ts';
import { ExitError } from '../exit-error.ts';
import { form } from '../terminal/words.ts';
import { hostOf, memberLines, visible, visiblePath } from './member-words.ts';

/**
 * Texts about what `voxbatch trust` confirms: a folder's config, the API address in it, and its ledger.
 */

/** Describes something that can be confirmed, with all that it could do. */
export function confirmableLines(found: Confirmable): readonly string[] {
  switch (found.type) {
    case 'config':
      return [visiblePath(found.path), ...memberLines(found.members).map((line) => `  ${line}`)];
    case 'address': {
      const shown = `${visiblePath(found.path)}: api.url: ${visible(found.url)}`;
      return [
        found.use !== undefined
          ? `${shown}, with the token that is set now`
          : `${shown}: not confirmed, for no token is set. Set VOXBATCH_API_TOKEN, then run this again.`,
      ];
    }
    case 'ledger': {
      const { contents, owner, isConfirmed } = found;
      const whose = `  owner: another user (uid ${String(owner)}), who can change it at any time, and what it runs as you`;
      return [
        visiblePath(contents.place),
        ...(owner === undefined ? [] : [whose]),
        ...ledgerLines(contents),
        ...(isConfirmed ? [] : [COPY_LINE]),
      ];
    }
  }
}

/** Returns why something cannot be confirmed; undefined if it can. */
export function flawOf(found: Confirmable): string | undefined {
  if (found.type !== 'ledger') return undefined;
  return found.refusal ?? (found.isConfirmed ? undefined : differenceWords(found.contents));
}

/** Returns the variable that names it, for a shell: what the user names needs no confirmation. */
export function variableFor(found: Confirmable): string {
  switch (found.type) {
    case 'config':
      return `VOXBATCH_CONFIG=${shellWord(found.path)}`;
    case 'address':
      return `VOXBATCH_API_URL=${shellWord(found.url)}`;
    case 'ledger':
      return `VOXBATCH_HOME=${shellWord(found.home)}`;
  }
}

/** Lists what in a ledger could spend money or run commands. */
export function ledgerLines({ batches, schedules }: LedgerContents): readonly string[] {
  const open = batches.filter(({ state }) => state !== 'closed').length;
  return [
    `  batches: ${String(batches.length)}, of which ${String(open)} ${form(open, 'is', 'are')} open`,
    ...new Set(batches.map(({ apiUrl, account }) => `  account: ${visible(account)} at ${visible(apiUrl)}`)),
    ...new Set(
      batches.flatMap(({ settings }) => [...hookLines('a batch', settings), ...riskLines('a batch', settings)]),
    ),
    `  schedules: ${schedules.length === 0 ? 'none' : String(schedules.length)}`,
    ...schedules.flatMap(scheduleLines),
  ];
}

/** A warning before a ledger is confirmed: one that was moved here looks like a copy. */
export const COPY_LINE =
  '  if you moved it here, go on; if this is a copy, do not use both: each pays again for what the other sends';

function scheduleLines({ name, account, run, hooks }: ScheduleContents): readonly string[] {
  const shown = `schedule ${visible(name)}`;
  return [
    ...(account === undefined
      ? []
      : [`  account of ${shown}: ${visible(account.account)} at ${visible(account.apiUrl)}`]),
    ...(run === undefined
      ? [`  ${shown}: what it runs is not on record here`]
      : [
          `  manifest of ${shown}: ${visible(run.manifest)}`,
          `  folder of the files of ${shown}: ${visible(run.outFolder)}`,
          ...riskLines(shown, { ...run, ...run.tunables }),
        ]),
    ...hookLines(shown, hooks),
  ];
}

function hookLines(of: string, { onEnd = null, notify = null }: Partial<ScheduleHooks>): readonly string[] {
  return [
    ...(onEnd === null ? [] : [`  command of ${of}: ${visible(onEnd)}`]),
    ...(notify === null ? [] : [`  messages of ${of}: to ${visible(hostOf(notify))}`]),
  ];
}

/** Settings that can make a batch cost more than the defaults would. */
interface RiskySettings {
  readonly onUnknown?: BatchSettings['onUnknown'] | undefined;
  readonly retakes?: number | undefined;
  readonly prices?: Readonly<Record<string, unknown>> | undefined;
  readonly operations?: readonly OwnOperation[] | undefined;
}

function riskLines(
  of: string,
  { onUnknown = 'hold', retakes = 0, prices, operations = [] }: RiskySettings,
): readonly string[] {
  const shipped: Readonly<Record<string, unknown>> = Object.fromEntries(
    OPERATIONS.filter((operation) => factsOf(operation).own === undefined).map((operation) => [
      operation,
      BUILT_IN_PRICES[operation],
    ]),
  );
  // A user's own operation has no built-in price, so prices that include one differ.
  const isPricedOtherwise = prices !== undefined && !isDeepStrictEqual({ ...prices }, shipped);
  return [
    ...(onUnknown === 'hold' ? [] : [`  onUnknown of ${of}: ${visible(onUnknown)}`]),
    ...(retakes === 0 ? [] : [`  retakes of ${of}: ${visible(retakes)}`]),
    ...(isPricedOtherwise ? [`  prices of ${of}: ${visible(prices)}`] : []),
    ...(operations.length === 0 ? [] : [`  operations of ${of}: ${visible(operations)}`]),
  ];
}

/** Returns why a ledger's database is not as voxbatch makes it; undefined if it is. */
export function differenceWords({ place, schemaDifferences }: LedgerContents): string | undefined {
  if (schemaDifferences.length === 0) return undefined;
  const named = visible(schemaDifferences.slice(0, MAX_PARTS).join(', ')).slice(1, -1);
  return `The ledger ${visiblePath(place)} cannot be confirmed: its database is not as voxbatch makes it (${named}), so it may do other things than it shows.`;
}

/** Max differences from the schema that are listed. */
const MAX_PARTS = 5;

const NOT_CONFIRMED = 'You have not confirmed on this machine what may have come with this folder.';

/**
 * Returns the error for a command that needs something unconfirmed. It lists everything that `voxbatch trust` would
 * confirm in this folder, because that command confirms all of it.
 */
export async function unconfirmedError(env: NodeJS.ProcessEnv, why = NOT_CONFIRMED): Promise<ExitError> {
  const found = (await confirmablesIn('.', env, findToken)).filter(({ isConfirmed }) => !isConfirmed);
  const flaws = found.flatMap((confirmable) => flawOf(confirmable) ?? []);
  const advice = [
    'If all of it is right, run: voxbatch trust',
    '(--yes does not confirm it.) Nothing was sent. Nothing was spent.',
    `If it is yours, and your home does not last, as in a container: export ${found.map(variableFor).join(' ')}`,
  ];
  const lines = [
    why,
    ...(flaws.length > 0 ? ['This was found:'] : ['This would be confirmed:']),
    ...found.flatMap(confirmableLines),
    ...(flaws.length > 0 ? [...flaws, 'Nothing was sent. Nothing was spent.'] : advice),
  ];
  return new ExitError('usage', lines.join('\n'), { next: 'voxbatch trust' });
}
