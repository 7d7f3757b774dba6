import { isSameSecret } from '../client/http/same-secret.ts';
import type { Reader } from '../client/look/open-reader.ts';
import { chooseBatch } from '../client/open-records.ts';
import { STEERINGS, type PageActions } from './actions.ts';
import type { PageWords } from './answers.ts';
import {
  BadPost,
  done,
  reasonOf,
  textIn,
  textOf,
  type Body,
  type Post,
  agreedPrice,
  signer,
  type Sign,
} from './post-body.ts';
import type { RedriveAnswer, RedrivePrice } from './protocol.ts';
import { settlePosts } from './settle-posts.ts';

/** Rows that are sent again at once: more are for the command line, which names them by what they have in common. */
const MOST_ROWS = 5_000;

/** The posts that the page answers, by path. */
export function postsOf(reader: Reader, words: PageWords, actions: PageActions): ReadonlyMap<string, Post> {
  const sign = signer();
  const check = async (batch: string, ids: readonly string[]): Promise<RedriveAnswer> => {
    const price = await actions.checkRedrive(batch, ids);
    return { type: 'price', price, signature: await signRows(reader, sign, batch, ids, price) };
  };
  const nameIn = async (body: Body): Promise<string> => (await chooseBatch(reader.ledger, textOf(body, 'batch'))).name;
  return new Map<string, Post>([
    [
      '/api/steer',
      async (body) => {
        const what = STEERINGS.find((one) => one === body['what']);
        if (what === undefined) throw new BadPost(`Expected ${STEERINGS.join(', ')}.`);
        return done(await actions.steer(await nameIn(body), what, reasonOf(body)));
      },
    ],
    [
      '/api/tune',
      async (body) => {
        const tuning = { ...textIn(body, 'rate'), ...textIn(body, 'budget') };
        return done(await actions.tune(await nameIn(body), tuning, reasonOf(body)));
      },
    ],
    ['/api/redrive-check', async (body) => check(await nameIn(body), idsOf(body))],
    [
      '/api/redrive',
      async (body) => {
        const [batch, ids] = [await nameIn(body), idsOf(body)];
        const now = await check(batch, ids);
        // Rows, prices or the budget are others than a person has seen: the same question again.
        if (!isSameSecret(now.signature, textOf(body, 'signature'))) return now;
        return done(await actions.redrive(batch, ids, reasonOf(body)));
      },
    ],
    ...settlePosts({ reader, words, actions, sign, nameIn }),
  ]);
}

/** A signature of what a person decides on: the rows as they stand, and all that it says of the price. */
async function signRows(
  { ledger }: Reader,
  sign: Sign,
  batch: string,
  ids: readonly string[],
  price: RedrivePrice,
): Promise<string> {
  const rows: unknown[] = [];
  for (let at = 0; at < ids.length; at += 200)
    for (const { row } of await ledger.rowsWithIds(batch, ids.slice(at, at + 200)))
      rows.push([row.row, row.take, row.outcome, row.state, row.quoted, row.updatedAt]);
  return sign([batch, ids, rows, agreedPrice(price)]);
}

function idsOf({ ids }: Body): readonly string[] {
  const isList = Array.isArray(ids) && ids.every((id): id is string => typeof id === 'string' && id !== '');
  if (!isList || ids.length === 0 || ids.length > MOST_ROWS)
    throw new BadPost(`Expected 1 to ${MOST_ROWS} ids of rows.`);
  return [...new Set(ids)];
}
