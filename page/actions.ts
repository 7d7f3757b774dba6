import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../client/http/same-secret.ts';
import type { Reader } from '../client/look/open-reader.ts';
import { chooseBatch } from '../client/open-records.ts';
import type { ActionAnswer, RedriveAnswer, RedrivePrice } from './protocol.ts';
import { toJson } from './wire.ts';

/** What the page can have done: what the commands of the same names do. Each resolves with what they say; rejects if they refuse. */
export interface PageActions {
  readonly steer: (batch: string, what: Steering, reason: string | undefined) => Promise<readonly string[]>;
  readonly tune: (batch: string, tuning: PageTuning, reason: string | undefined) => Promise<readonly string[]>;
  /** What a redrive of these rows would do and cost. Changes nothing. */
  readonly checkRedrive: (batch: string, ids: readonly string[]) => Promise<RedrivePrice>;
  readonly redrive: (batch: string, ids: readonly string[], reason: string | undefined) => Promise<readonly string[]>;
}

const STEERINGS = ['pause', 'resume', 'stop'] as const;
export type Steering = (typeof STEERINGS)[number];

/** What the page can tune, as flags of `tune` would be written. */
export interface PageTuning {
  readonly rate?: string;
  readonly budget?: string;
}

/** What was asked for is refused, in the words of the command. */
export class ActionRefused extends Error {}

/** Something in a post is not as the page sends it. */
export class BadPost extends Error {}

/** Rows that are sent again at once: more are for the command line, which names them by what they have in common. */
const MOST_ROWS = 5_000;

/** Does what the parsed body of a post asks for. Rejects with {@link BadPost} and {@link ActionRefused}. */
export type Post = (body: Readonly<Record<string, unknown>>) => Promise<ActionAnswer | RedriveAnswer>;

/** The posts that the page answers, by path. */
export function postsOf(reader: Reader, actions: PageActions): ReadonlyMap<string, Post> {
  const key = randomBytes(32);
  const check = async (batch: string, ids: readonly string[]): Promise<RedriveAnswer> => {
    const price = await actions.checkRedrive(batch, ids);
    return { type: 'price', price, signature: await sign(reader, key, batch, ids, price) };
  };
  const nameIn = async (body: Readonly<Record<string, unknown>>): Promise<string> =>
    (await chooseBatch(reader.ledger, textOf(body, 'batch'))).name;
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
  ]);
}

function done(lines: readonly string[]): ActionAnswer {
  return { type: 'done', lines };
}

/** A signature of what a person decides on: the rows as they stand, and all that it says of the price. */
async function sign(
  { ledger }: Reader,
  key: Buffer,
  batch: string,
  ids: readonly string[],
  price: RedrivePrice,
): Promise<string> {
  const rows: unknown[] = [];
  for (let at = 0; at < ids.length; at += 200)
    for (const { row } of await ledger.rowsWithIds(batch, ids.slice(at, at + 200)))
      rows.push([row.row, row.take, row.outcome, row.state, row.quoted, row.updatedAt]);
  return createHmac('sha256', key)
    .update(toJson([batch, ids, rows, price]))
    .digest('base64url');
}

function textOf(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '') throw new BadPost(`"${name}" is missing.`);
  return value;
}

function reasonOf({ reason }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : undefined;
}

function textIn<Name extends string>(
  body: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [N in Name]?: string } {
  const value = body[name];
  return (typeof value === 'string' && value.trim() !== '' ? { [name]: value.trim() } : {}) as {
    readonly [N in Name]?: string;
  };
}

function idsOf({ ids }: Readonly<Record<string, unknown>>): readonly string[] {
  const isList = Array.isArray(ids) && ids.every((id): id is string => typeof id === 'string' && id !== '');
  if (!isList || ids.length === 0 || ids.length > MOST_ROWS)
    throw new BadPost(`Expected 1 to ${MOST_ROWS} ids of rows.`);
  return [...new Set(ids)];
}
