import type { Account } from '../../contract/names.ts';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ownerOf, otherUserError } from '../../embedded/private-home.ts';
import { openRecordsIfAny } from '../open-records.ts';
import { apiAddress, type ApiAccess } from '../settings.ts';
import {
  forgetAddress,
  isAddressConfirmed,
  rememberAddress,
  forgetConfig,
  isConfigConfirmed,
  rememberConfig,
  type RiskyConfig,
  CONFIG_FILE,
  readRiskyConfig,
} from './folder-config.ts';
import { forgetLedger, rememberLedger, trustLedger } from './known-ledgers.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import { parseScheduledRun, type ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';

/** Something in a folder that can be confirmed. */
export type Confirmable = {
  /** True if it was confirmed in its current form. */
  readonly isConfirmed: boolean;
} & (
  | ({ readonly type: 'config' } & RiskyConfig)
  /**
   * The API's URL in a config. `use`: the URL together with the current token, which is what gets confirmed; undefined
   * if no token is set, so nothing can be confirmed.
   */
  | { readonly type: 'address'; readonly path: string; readonly url: string; readonly use: ApiAccess | undefined }
  | {
      readonly type: 'ledger';
      readonly home: string;
      readonly contents: LedgerContents;
      /**
       * The home's owner, if that is another user: root may work there, but whatever the owner adds later would run as
       * root.
       */
      readonly owner: number | undefined;
      /** Why work in another user's home is refused, as a sentence. */
      readonly refusal: string | undefined;
    }
);

/**
 * Everything that can be confirmed in an existing folder. `findToken`: reads the current token. Throws {@link
 * VoxbatchError} (`bad-config`, `machine`).
 */
export async function confirmablesIn(
  folder: string,
  env: NodeJS.ProcessEnv,
  findToken: (env: NodeJS.ProcessEnv) => string | undefined,
): Promise<readonly Confirmable[]> {
  const place = realpathSync(folder);
  const found: Confirmable[] = [];
  const path = join(place, CONFIG_FILE);
  if (existsSync(path)) {
    const { members, config } = await readRiskyConfig(path);
    const isConfirmed = isConfigConfirmed(env, { path, members });
    if (Object.keys(members).length > 0) found.push({ type: 'config', path, members, isConfirmed });
    if (config.api?.url !== undefined) found.push(addressIn(path, config.api.url, env, findToken(env)));
  }
  const ledger = await ledgerIn(join(place, '.voxbatch'), env);
  return ledger === undefined ? found : [...found, ledger];
}

function addressIn(path: string, url: string, env: NodeJS.ProcessEnv, token: string | undefined): Confirmable {
  const use = token === undefined ? undefined : { baseUrl: apiAddress(url), token };
  return { type: 'address', path, url, use, isConfirmed: use !== undefined && isAddressConfirmed(env, use) };
}

async function ledgerIn(home: string, env: NodeJS.ProcessEnv): Promise<Confirmable | undefined> {
  const settings = ledgerSettings(home, env);
  const ledger = await openRecordsIfAny(settings);
  if (ledger === undefined) return undefined;
  try {
    const isConfirmed = trustLedger(settings, ledger) !== 'unknown';
    const uid = ownerOf(home);
    const owner = uid === process.geteuid?.() ? undefined : uid;
    const contents = await readContents(ledger);
    return { type: 'ledger', home, contents, owner, refusal: otherUserError(home)?.message, isConfirmed };
  } finally {
    await ledger.close();
  }
}

function ledgerSettings(home: string, env: NodeJS.ProcessEnv): Parameters<typeof trustLedger>[0] {
  return { ledger: join(home, 'ledger.db'), isLedgerNamed: false, env };
}

/** Records that the user has confirmed something. Throws if the record cannot be written. */
export function remember(found: Confirmable, env: NodeJS.ProcessEnv): void {
  if (found.type === 'config') rememberConfig(env, found);
  else if (found.type === 'ledger') rememberLedger(ledgerSettings(found.home, env), found.contents);
  else if (found.use !== undefined) rememberAddress(env, found.use);
}

/** Revokes a confirmation. */
export function forget(found: Confirmable, env: NodeJS.ProcessEnv): void {
  if (found.type === 'config') forgetConfig(env, found.path);
  else if (found.type === 'ledger') forgetLedger(ledgerSettings(found.home, env));
  else if (found.use !== undefined) forgetAddress(env, found.use);
}

/** A ledger's contents that could spend or run commands, shown to the person who is to confirm it. */
export interface LedgerContents extends Pick<Ledger, 'id' | 'place'> {
  readonly batches: readonly BatchRecord[];
  readonly schedules: readonly ScheduleContents[];
  /**
   * Parts of its database that differ from the schema. They could change its behavior after review, so a ledger that
   * has any cannot be confirmed.
   */
  readonly schemaDifferences: readonly string[];
}

/** A schedule, without unrecorded parts. */
export interface ScheduleContents {
  readonly name: string;
  readonly account?: Account | undefined;
  readonly run?: ScheduledRun | undefined;
  readonly hooks: ScheduleHooks;
}

/** Reads the contents of a ledger that need confirmation. Changes nothing. */
export async function readContents(ledger: Ledger): Promise<LedgerContents> {
  const known = await ledger.knownSchedules();
  return {
    id: ledger.id,
    place: ledger.place,
    batches: await ledger.listBatches(),
    schedules: await Promise.all(known.map((name) => readSchedule(ledger, name))),
    schemaDifferences: await ledger.schemaDifferences(),
  };
}

async function readSchedule(ledger: Ledger, name: string): Promise<ScheduleContents> {
  const settings = (await ledger.scheduleRecord(name))?.settings;
  return { name, account: settings, run: parseScheduledRun(settings?.run), hooks: await ledger.scheduleHooks(name) };
}
