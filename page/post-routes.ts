import { isSameSecret } from '../client/http/same-secret.ts';
import type { Reader } from '../client/status/open-reader.ts';
import { chooseBatch } from '../client/open-records.ts';
import { CONTROLS, type PageActions } from './actions.ts';
import type { PageWords } from './answers.ts';
import {
  actionAnswer,
  agreedPrice,
  BadRequest,
  createSigner,
  optionalText,
  reasonOf,
  requiredText,
  type Body,
  type PostHandler,
  type Sign,
} from './post-handler.ts';
import type { RedriveAnswer, RedrivePrice } from './protocol.ts';
import { settleRoutes } from './settle-routes.ts';

/** Rows of one redrive from the page. For more, the command line selects rows by outcome or reason instead of by id. */
const MAX_ROWS = 5_000;
/** Rows read from the ledger by one query. */
const ROWS_PER_QUERY = 200;

/** Returns what the page answers to POST requests, by path. */
export function postRoutes(reader: Reader, words: PageWords, actions: PageActions): ReadonlyMap<string, PostHandler> {
  const sign = createSigner();
  const check = async (batch: string, ids: readonly string[]): Promise<RedriveAnswer> => {
    const price = await actions.checkRedrive(batch, ids);
    return { type: 'price', price, signature: await signRows(reader, sign, batch, ids, price) };
  };
  const nameIn = async (body: Body): Promise<string> =>
    (await chooseBatch(reader.ledger, requiredText(body, 'batch'))).name;
  return new Map<string, PostHandler>([
    [
      '/api/control',
      async (body) => {
        const what = CONTROLS.find((name) => name === body['what']);
        if (what === undefined) throw new BadRequest(`Expected ${CONTROLS.join(', ')}.`);
        return actionAnswer(await actions.control(await nameIn(body), what, reasonOf(body)));
      },
    ],
    [
      '/api/tune',
      async (body) => {
        const [rate, budget] = [optionalText(body, 'rate'), optionalText(body, 'budget')];
        const tuning = { ...(rate !== undefined && { rate }), ...(budget !== undefined && { budget }) };
        return actionAnswer(await actions.tune(await nameIn(body), tuning, reasonOf(body)));
      },
    ],
    ['/api/redrive-check', async (body) => check(await nameIn(body), idsOf(body))],
    [
      '/api/redrive',
      async (body) => {
        const [batch, ids] = [await nameIn(body), idsOf(body)];
        const now = await check(batch, ids);
        // Rows, prices or the budget have changed since the user saw them: answer with what would be done now.
        if (!isSameSecret(now.signature, requiredText(body, 'signature'))) return now;
        return actionAnswer(await actions.redrive(batch, ids, reasonOf(body)));
      },
    ],
    ...settleRoutes({ reader, words, actions, sign, nameIn }),
  ]);
}

/** Signs what the user confirms: the rows in their current state, and the price. */
async function signRows(
  { ledger }: Reader,
  sign: Sign,
  batch: string,
  ids: readonly string[],
  price: RedrivePrice,
): Promise<string> {
  const rows: unknown[] = [];
  for (let at = 0; at < ids.length; at += ROWS_PER_QUERY)
    for (const { row } of await ledger.rowsWithIds(batch, ids.slice(at, at + ROWS_PER_QUERY)))
      rows.push([row.row, row.take, row.outcome, row.state, row.quoted, row.updatedAt]);
  return sign([batch, ids, rows, agreedPrice(price)]);
}

function idsOf({ ids }: Body): readonly string[] {
  const isList = Array.isArray(ids) && ids.every((id): id is string => typeof id === 'string' && id !== '');
  if (!isList || ids.length === 0 || ids.length > MAX_ROWS)
    throw new BadRequest(`Expected 1 to ${MAX_ROWS} ids of rows.`);
  return [...new Set(ids)];
}
