import { UNKNOWN_TO_SERVER, type BucketClient } from './client.ts';
import { readText } from './objects.ts';

/** Names the owner of a prefix's objects. */
const OWNER_KEY = '.ledger';
/** Has the random id of a prefix that is claimed. Stores claimed before there were ids lack it. */
const ID_KEY = '.store';

/** Whoever has claimed this prefix; undefined if nobody has. */
export function ownerOfPrefix(client: BucketClient, prefix: string): Promise<string | undefined> {
  return readText(client, `${prefix}${OWNER_KEY}`);
}

/**
 * Claims a prefix for this owner if it is unclaimed, and returns its owner. It is tried even if it is the owner's
 * already, so that missing rights to write are noticed before anything is paid for.
 */
export async function claimPrefix(client: BucketClient, prefix: string, owner: string): Promise<string> {
  const before = await ownerOfPrefix(client, prefix);
  if (before !== undefined && before !== owner) return before;
  return claim(client, `${prefix}${OWNER_KEY}`, owner);
}

/** The random id of this prefix; undefined if it has none. */
export function idOfPrefix(client: BucketClient, prefix: string): Promise<string | undefined> {
  return readText(client, `${prefix}${ID_KEY}`);
}

/** Gives a prefix this id if it has none, and returns the one that it has. */
export async function claimPrefixId(client: BucketClient, prefix: string, id: string): Promise<string> {
  return (await idOfPrefix(client, prefix)) ?? claim(client, `${prefix}${ID_KEY}`, id);
}

/** Of several concurrent claims, one wins. A server that does not know the condition (501) decides by the last. */
async function claim(client: BucketClient, key: string, text: string): Promise<string> {
  const put = { method: 'PUT', key, body: Buffer.from(text) } as const;
  const headers = { 'if-none-match': '*' };
  const { status } = await client.ask({ ...put, headers, accepts: [412, UNKNOWN_TO_SERVER] });
  if (status === UNKNOWN_TO_SERVER) await client.ask(put);
  return (await readText(client, key)) ?? text;
}
