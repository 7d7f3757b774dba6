import type { Db, Schema, Tx } from './schema.ts';
import type { Selectable } from 'kysely';
import { write } from './transactions.ts';
import type { AccountKey, WebhookBefore, WebhookMethods, WebhookRecord } from './webhook-methods.ts';
import { livingWorkers } from './workers.ts';

type WebhookSet = NonNullable<WebhookRecord['set']>;
type Line = Selectable<Schema['webhooks']>;

/** See {@link WebhookMethods}. */
export async function takeWebhook(
  db: Db,
  account: AccountKey,
  owner: string,
): ReturnType<WebhookMethods['takeWebhook']> {
  return write(db, async (tx) => {
    const line = await select(tx, account).executeTakeFirst();
    if (line !== undefined && line.owner !== owner && (await isAlive(tx, line))) return { type: 'taken' };
    if (line === undefined) {
      const { apiUrl: api_url, account: name } = account;
      const values = { api_url, account: name, owner, address: null, before: null, taken_at: Date.now() };
      await tx.insertInto('webhooks').values(values).execute();
      return { type: 'mine', before: undefined };
    }
    await tx
      .updateTable('webhooks')
      .set({ owner, taken_at: Date.now() })
      .where('api_url', '=', account.apiUrl)
      .where('account', '=', account.account)
      .execute();
    return { type: 'mine', before: recordOf(line) };
  });
}

/** See {@link WebhookMethods}. */
export async function noteWebhook(
  db: Db,
  account: AccountKey,
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

/** See {@link WebhookMethods}. */
export async function releaseWebhook(db: Db, account: AccountKey, owner: string): Promise<void> {
  await write(db, async (tx) => {
    await tx
      .updateTable('webhooks')
      .set({ owner: '' })
      .where((eb) => eb.and(ownLine(account, owner)))
      .execute();
  });
}

/** See {@link WebhookMethods}. */
export async function leaveWebhook(db: Db, account: AccountKey, owner: string): Promise<void> {
  await write(db, async (tx) => {
    await tx
      .deleteFrom('webhooks')
      .where((eb) => eb.and(ownLine(account, owner)))
      .execute();
  });
}

/** See {@link WebhookMethods}. */
export async function webhookOf(db: Db, account: AccountKey): ReturnType<WebhookMethods['webhookOf']> {
  const line = await select(db, account).executeTakeFirst();
  return line === undefined ? undefined : { ...recordOf(line), isAlive: await isAlive(db, line) };
}

/** The line of an account, while this process uses its webhook. */
function ownLine({ apiUrl, account }: AccountKey, owner: string): Pick<Line, 'api_url' | 'account' | 'owner'> {
  return { api_url: apiUrl, account, owner };
}

function select(db: Db | Tx, { apiUrl, account }: AccountKey) {
  return db.selectFrom('webhooks').selectAll().where('api_url', '=', apiUrl).where('account', '=', account);
}

async function isAlive(db: Db | Tx, { api_url, account, owner }: Line): Promise<boolean> {
  return (await livingWorkers(db, api_url, account)).includes(owner);
}

function recordOf({ api_url: apiUrl, account, owner, address, before }: Line): WebhookRecord {
  const set = address === null || before === null ? null : { address, ...parseBefore(before) };
  return { apiUrl, account, owner, set };
}

/** The column `before`: what was there before, and the earlier addresses of ours if there are any. */
function beforeText({ before, earlier }: WebhookSet): string {
  return JSON.stringify({ ...before, ...(earlier.length === 0 ? {} : { earlier }) });
}

function parseBefore(text: string): Pick<WebhookSet, 'before' | 'earlier'> {
  const { earlier = [], ...before } = JSON.parse(text) as WebhookBefore & { readonly earlier?: readonly string[] };
  return { before, earlier };
}
