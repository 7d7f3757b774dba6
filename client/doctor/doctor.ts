import { randomUUID } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../contract/defined.ts';
import { pollingSettings } from '../../contract/polling-settings.ts';
import { findServer } from '../../embedded/find-server.ts';
import { makePrivateFolder } from '../../embedded/private-file.ts';
import { API_CLOCK_SLACK_MS } from '../../policy/clocks.ts';
import type { SearchAttributeName } from '../../contract/search-attributes.ts';
import { ffmpegVersion } from '../../store/sound/ffmpeg.ts';
import { findFfmpeg, namedFfmpeg } from '../../store/sound/find-ffmpeg.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { connectApi, realmOf, type ConnectedApi } from '../connect-api.ts';
import { openRecordsIfAny } from '../open-records.ts';
import { requireLargeFiles, requireWritable } from '../machine-faults.ts';
import { openTemporal } from '../temporal/open-temporal.ts';
import { findSearchAttributes, searchAttributeCommand } from '../temporal/search-attributes.ts';
import { kindOfStore } from '../../store/supported-stores.ts';
import { tryStore } from '../../store/open-store.ts';
import { requireStore } from '../claim-store.ts';
import { whyLinksAreShort } from '../local-media/short-links.ts';
import { VoxbatchError } from '../problem.ts';
import type { Session } from '../session.ts';

/** A component that passed its check. */
export type PassedCheck =
  | { readonly type: 'node'; readonly version: string }
  | { readonly type: 'disk'; readonly home: string; readonly freeBytes: number }
  /** `isMissing`: it does not exist yet; the first batch creates it. Default: false. */
  | {
      readonly type: 'ledger';
      readonly ledger: string;
      readonly batches: number;
      readonly unfinished: number;
      readonly isMissing?: boolean;
    }
  /** `binary`: the embedded server's program, and where it was found; absent on a cluster. */
  | {
      readonly type: 'server';
      readonly version: string;
      readonly address: string;
      readonly binary?: { readonly version: string; readonly from: string };
    }
  /** `proxy`: the proxy used to reach the API, as `host:port`. */
  | { readonly type: 'api'; readonly url: string; readonly proxy?: string }
  /** Token, account and clock. `credits`: the account's balance, if the API reports it. */
  | { readonly type: 'account'; readonly account: string; readonly tier?: string; readonly credits?: number }
  /**
   * The store: it does not belong to another ledger, and the ledger has no other one. `isTried`: it was read and
   * written as a test; a folder is not tested. Checked only for a bucket or on a cluster.
   */
  | {
      readonly type: 'store';
      readonly store: string;
      readonly isTried: boolean;
      /** Why the bucket cannot copy files itself. Not a fault: voxbatch then downloads and uploads them. */
      readonly copyProblem?: string;
      /** Why links to local media may expire before a job ends, and what to do. Not a fault. */
      readonly shortLinks?: string;
    }
  /** The ffmpeg that would be used, if any, with the version it reports. Only some audio processing needs it. */
  | { readonly type: 'ffmpeg'; readonly found?: { readonly program: string; readonly version: string } }
  /**
   * Search attributes on a cluster, by which Temporal lists batches. `missing`: those that the namespace lacks;
   * `command` creates them. Not a fault.
   */
  | { readonly type: 'lists'; readonly missing: readonly SearchAttributeName[]; readonly command: string }
  /** Workers that are alive. Checked only on a cluster: an embedded run starts its own worker. */
  | { readonly type: 'worker'; readonly workers: number };

/** A component's fault. */
export type Trouble =
  | { readonly type: 'error'; readonly error: unknown }
  /** The folder of the records cannot be created or written. */
  | { readonly type: 'unwritable-home'; readonly home: string; readonly error: unknown }
  | { readonly type: 'little-disk'; readonly home: string; readonly freeBytes: number }
  | { readonly type: 'clocks-apart'; readonly apartMs: number }
  | { readonly type: 'no-worker' }
  /** `VOXBATCH_FFMPEG` names this path, but it has no program. */
  | { readonly type: 'unusable-ffmpeg'; readonly path: string };

/** The result of one check. */
export type Finding =
  | ({ readonly ok: true } & PassedCheck)
  | { readonly ok: false; readonly type: PassedCheck['type']; readonly trouble: Trouble };

/** Free disk space below this is too little for a large batch, bytes. */
const LITTLE_DISK = 1e9;

/**
 * Checks a run's prerequisites one by one: Node, disk, ffmpeg, ledger, a store in a bucket, Temporal, API, account, and
 * on a cluster the search attributes and workers. If no embedded server is running, starts one and stops it afterwards.
 * Creates no ledger: in somebody else's folder, it would be recorded as this user's. Spends nothing and never throws.
 *
 * @param say called before anything that takes long
 */
export async function* runChecks(
  session: Session,
  say: (line: string) => void,
): AsyncGenerator<Finding, void, undefined> {
  let opening: Promise<ConnectedApi> | undefined;
  // Opened once, so that a failure applies to every check that needs the API.
  const open = (): Promise<ConnectedApi> => (opening ??= connectOnce(session));
  const checks: readonly (readonly [PassedCheck['type'], () => Promise<Checked>])[] = [
    ['node', () => Promise.resolve({ type: 'node', version: process.versions.node })],
    ['disk', () => checkDisk(session)],
    ['ffmpeg', () => checkFfmpeg(session)],
    ['ledger', () => checkLedger(session)],
    ...(!kindOfStore(session.settings.store).isFolder || session.settings.cluster !== undefined
      ? [['store', () => checkStore(session)] as const]
      : []),
    ['server', () => checkServer(session, say)],
    ['api', () => checkApi(session, open)],
    ['account', () => checkAccount(open)],
    ...(session.settings.cluster === undefined
      ? []
      : [['lists', () => checkLists(session, say)] as const, ['worker', () => checkWorker(session, open)] as const]),
  ];
  try {
    for (const [type, check] of checks) {
      try {
        const found = await check();
        yield isTrouble(found) ? { ok: false, type, trouble: found } : { ok: true, ...found };
      } catch (error) {
        yield { ok: false, type, trouble: { type: 'error', error } };
      }
    }
  } finally {
    const opened = await opening?.catch(() => undefined);
    opened?.api.close();
  }
}

/** Connects without the retries of a run, because a person waits for the result. */
async function connectOnce(session: Session): Promise<ConnectedApi> {
  return connectApi(await session.access(), { once: true });
}

function isTrouble(found: Checked): found is Trouble {
  return ['unwritable-home', 'little-disk', 'clocks-apart', 'no-worker', 'unusable-ffmpeg'].includes(found.type);
}

type Checked = PassedCheck | Trouble;

async function checkDisk({ settings: { home } }: Session): Promise<Checked> {
  try {
    makePrivateFolder(home);
    const probe = join(home, `.writable-${randomUUID()}`);
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    return { type: 'unwritable-home', home, error };
  }
  const { bavail, bsize } = await statfs(home);
  const freeBytes = bavail * bsize;
  if (freeBytes < LITTLE_DISK) return { type: 'little-disk', home, freeBytes };
  requireLargeFiles();
  return { type: 'disk', home, freeBytes };
}

async function checkFfmpeg({ settings: { env } }: Session): Promise<Checked> {
  const program = await findFfmpeg(env);
  if (program !== undefined) return { type: 'ffmpeg', found: { program, version: await ffmpegVersion(program) } };
  const path = namedFfmpeg(env);
  if (path !== undefined) return { type: 'unusable-ffmpeg', path };
  return { type: 'ffmpeg' };
}

async function checkLedger({ settings }: Session): Promise<PassedCheck> {
  const found = await withLedgerIfAny(settings, async (ledger) => {
    requireWritable(ledger);
    // Throws for a copy (a restored backup, a replica) that nobody has accepted: workers would wait for that.
    await ledger.acceptedAt();
    return { ledger: ledger.place, batches: await ledger.listBatches() };
  });
  // Only a file can be missing, so the address is a path and holds no secret.
  if (found === undefined)
    return { type: 'ledger', ledger: settings.ledger, batches: 0, unfinished: 0, isMissing: true };
  const { ledger, batches } = found;
  const unfinished = batches.filter((one) => one.state !== 'closed').length;
  return { type: 'ledger', ledger, batches: batches.length, unfinished };
}

/** Tests a bucket, and checks that the store belongs to the ledger. */
async function checkStore({ settings }: Session): Promise<PassedCheck> {
  const { store, env } = settings;
  const tried = await tryStore(store, env);
  await withLedgerIfAny(settings, (ledger) => requireStore(settings, ledger));
  const shortLinks = await whyLinksAreShort(settings, pollingSettings(settings.config.polling));
  return {
    type: 'store',
    store,
    isTried: tried !== undefined,
    ...defined({ copyProblem: tried?.copyProblem, shortLinks }),
  };
}

/** Reads from the ledger; undefined if there is none yet. */
async function withLedgerIfAny<T>(
  settings: Session['settings'],
  read: (ledger: Ledger) => T | Promise<T>,
): Promise<T | undefined> {
  const ledger = await openRecordsIfAny(settings);
  try {
    return ledger && (await read(ledger));
  } finally {
    await ledger?.close();
  }
}

async function checkServer({ settings }: Session, say: (line: string) => void): Promise<PassedCheck> {
  const found = settings.cluster === undefined ? await findServer({ env: settings.env, say }) : undefined;
  const temporal = await openTemporal(settings, { say });
  try {
    const { serverVersion } = await temporal.client.workflowService.getSystemInfo({});
    const facts = { type: 'server', version: serverVersion, address: temporal.address } as const;
    return found === undefined ? facts : { ...facts, binary: { version: found.version, from: found.from } };
  } finally {
    await temporal.close();
  }
}

/** Whether the API answers, even if it refuses the token: {@link checkAccount} reports that. */
async function checkApi(session: Session, open: () => Promise<ConnectedApi>): Promise<PassedCheck> {
  try {
    const { api } = await open();
    return { type: 'api', url: api.baseUrl, ...defined({ proxy: api.proxy }) };
  } catch (error) {
    if (!(error instanceof VoxbatchError)) throw error;
    const { problem } = error;
    if (problem.type === 'token-refused') return { type: 'api', url: problem.apiUrl };
    // With a token that no header can carry, the API was never called.
    if (problem.type === 'odd-token') return { type: 'api', url: (await session.access()).baseUrl };
    throw error;
  }
}

async function checkAccount(open: () => Promise<ConnectedApi>): Promise<Checked> {
  const { profile } = await open();
  const { userId: account, tier, quotaRemaining: credits, serverTimeMs } = profile;
  const apartMs = serverTimeMs === undefined ? 0 : Math.abs(Date.now() - serverTimeMs);
  if (apartMs > API_CLOCK_SLACK_MS) return { type: 'clocks-apart', apartMs };
  return { type: 'account', account, ...defined({ tier, credits }) };
}

/** Checks which search attributes the namespace has. Creates none: workers do. */
async function checkLists({ settings }: Session, say: (line: string) => void): Promise<PassedCheck> {
  const temporal = await openTemporal(settings, { say });
  try {
    const { missing } = await findSearchAttributes(temporal);
    return { type: 'lists', missing, command: searchAttributeCommand(temporal, missing) };
  } finally {
    await temporal.close();
  }
}

/**
 * Counts the cluster's workers for this account by their heartbeats in the ledger, as `status` does: Temporal keeps
 * listing workers for minutes after they end. A worker that was just killed counts for some seconds.
 */
async function checkWorker({ settings }: Session, open: () => Promise<ConnectedApi>): Promise<Checked> {
  const { apiUrl, account } = realmOf(await open());
  const living = await withLedgerIfAny(settings, (ledger) => ledger.livingWorkers(apiUrl, account));
  // Without a ledger there is no worker either: it would have created the ledger.
  const workers = living?.length ?? 0;
  return workers === 0 ? { type: 'no-worker' } : { type: 'worker', workers };
}
