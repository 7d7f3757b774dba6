import { UNKNOWN_TO_SERVER, type BucketClient } from './client.ts';
import { readText } from './objects.ts';

/** Names the owner of a prefix's objects. */
const OWNER_KEY = '.ledger';

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
  // Of several concurrent claims, one wins. A server that does not know the condition (501) decides by the last.
  const claim = { method: 'PUT', key: `${prefix}${OWNER_KEY}`, body: Buffer.from(owner) } as const;
  const headers = { 'if-none-match': '*' };
  const { status } = await client.ask({ ...claim, headers, accepts: [412, UNKNOWN_TO_SERVER] });
  if (status === UNKNOWN_TO_SERVER) await client.ask(claim);
  return (await ownerOfPrefix(client, prefix)) ?? owner;
}
