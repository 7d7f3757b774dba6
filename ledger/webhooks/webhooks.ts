import type { Account } from '../../contract/names.ts';
import type { Db, Schema, Tx } from '../schema.ts';
import type { Selectable } from 'kysely';
import { write } from '../database/transactions.ts';
import { livingWorkers } from '../lanes/workers.ts';

/*
 * Which worker process uses an account's webhook. An account has one webhook address, so only one process can use it;
 * that process restores the address from before when it ends.
 */

/** The account's webhook address before a process changed it; `unknown`: the API did not show it. */
export type WebhookBefore = { readonly type: 'known'; readonly url: string | null } | { readonly type: 'unknown' };

/** The process that uses an account's webhook. */
export interface WebhookRecord extends Account {
  /** The worker process (see {@link WorkerRecord}); empty once released. */
  readonly owner: string;
  /**
   * The address that it sets, and the one from before; null if nothing is set yet. `earlier`: addresses of dead
   * processes, which may still be set.
   */
  readonly set: {
    readonly address: string;
    readonly before: WebhookBefore;
    readonly earlier: readonly string[];
  } | null;
}

type WebhookSet = NonNullable<WebhookRecord['set']>;
type Line = Selectable<Schema['webhooks']>;

/**
 * Claims an account's webhook for a worker process (`owner`: its id), unless a live one uses it (`taken`). `before`:
 * the previous record, if any, of this process or a dead one.
 */
export async function takeWebhook(
  db: Db,
  account: Account,
  owner: string,
): Promise<{ readonly type: 'mine'; readonly before: WebhookRecord | undefined } | { readonly type: 'taken' }> {
  return write(db, async (tx) => {
    const line = await select(tx, account).executeTakeFirst();
    if (line !== undefined && line.owner !== owner && (await isAlive(tx, line))) return { type: 'taken' };
    if (line === undefined) {
      const { apiUrl: api_url, account: name } = account;
      const values = { api_url, account: name, owner, address: null, before: null, taken_at: tx.now() };
      await tx.insertInto('webhooks').values(values).execute();
      return { type: 'mine', before: undefined };
    }
    await tx
      .updateTable('webhooks')
      .set({ owner, taken_at: tx.now() })
      .where('api_url', '=', account.apiUrl)
      .where('account', '=', account.account)
      .execute();
    return { type: 'mine', before: recordOf(line) };
  });
}

/**
 * Records the address that the owner is about to set. Returns false, without effect, if another process has claimed the
 * webhook meanwhile, and is responsible for restoring the address.
 */
export async function noteWebhook(
  db: Db,
  account: Account,
  owner: string,
  set: WebhookRecord['set'],
): Promise<boolean> {
  return write(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('webhooks')
      .set({ address: set?.address ?? null, before: set === null ? null : beforeText(set) })
      .where((eb) => eb.and(ownLine(account, owner)))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });
}

/** Ends the use by this process, but keeps the record of what to restore, for the next process. */
export async function releaseWebhook(db: Db, account: Account, owner: string): Promise<void> {
  await write(db, async (tx) => {
    await tx
      .updateTable('webhooks')
      .set({ owner: '' })
      .where((eb) => eb.and(ownLine(account, owner)))
      .execute();
  });
}

/** Ends the use by this process, which has restored the address, and deletes the record. */
export async function forgetWebhook(db: Db, account: Account, owner: string): Promise<void> {
  await write(db, async (tx) => {
    await tx
      .deleteFrom('webhooks')
      .where((eb) => eb.and(ownLine(account, owner)))
      .execute();
  });
}

/** Reads the record of an account's webhook, and whether its process is alive; undefined if there is none. */
export async function webhookOf(
  db: Db,
  account: Account,
): Promise<(WebhookRecord & { readonly isAlive: boolean }) | undefined> {
  const line = await select(db, account).executeTakeFirst();
  return line === undefined ? undefined : { ...recordOf(line), isAlive: await isAlive(db, line) };
}

/** Condition: the account's line, if this process uses its webhook. */
function ownLine({ apiUrl, account }: Account, owner: string): Pick<Line, 'api_url' | 'account' | 'owner'> {
  return { api_url: apiUrl, account, owner };
}

function select(db: Db | Tx, { apiUrl, account }: Account) {
  return db.selectFrom('webhooks').selectAll().where('api_url', '=', apiUrl).where('account', '=', account);
}

async function isAlive(db: Db | Tx, { api_url, account, owner }: Line): Promise<boolean> {
  return (await livingWorkers(db, api_url, account)).includes(owner);
}

function recordOf({ api_url: apiUrl, account, owner, address, before }: Line): WebhookRecord {
  const set = address === null || before === null ? null : { address, ...parseBefore(before) };
  return { apiUrl, account, owner, set };
}

/** Returns the value of the column `before`: the address from before, and those of dead processes if there are any. */
function beforeText({ before, earlier }: WebhookSet): string {
  return JSON.stringify({ ...before, ...(earlier.length === 0 ? {} : { earlier }) });
}

function parseBefore(text: string): Pick<WebhookSet, 'before' | 'earlier'> {
  const { earlier = [], ...before } = JSON.parse(text) as WebhookBefore & { readonly earlier?: readonly string[] };
  return { before, earlier };
}
