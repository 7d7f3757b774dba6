import { isSameSecret } from '../client/http/same-secret.ts';
import type { Reader } from '../client/status/open-reader.ts';
import { ActionRefused, type PageActions } from './actions.ts';
import { readRow, type PageWords } from './answers.ts';
import {
  actionAnswer,
  agreedPrice,
  BadRequest,
  optionalText,
  reasonOf,
  requiredText,
  type Body,
  type PostHandler,
  type Sign,
} from './post-handler.ts';
import type { SettleAnswer } from './protocol.ts';

interface SettleContext {
  readonly reader: Reader;
  readonly words: PageWords;
  readonly actions: PageActions;
  readonly sign: Sign;
  /** Returns the name of the batch in a body. Rejects if the ledger has no such batch. */
  readonly nameIn: (body: Body) => Promise<string>;
}

/** A decision that is possible now. */
interface Checked {
  readonly batch: string;
  /** The job to adopt; empty for other decisions. */
  readonly job: string;
  readonly answer: SettleAnswer;
}

/**
 * Returns the POST routes that settle lost requests and accept kept results, by path. `settle-check` says what a
 * decision means, and `settle` carries it out if that is still what the user saw.
 */
export function settleRoutes({
  reader,
  words,
  actions,
  sign,
  nameIn,
}: SettleContext): readonly [string, PostHandler][] {
  const check = async (body: Body): Promise<Checked> => {
    const [batch, id] = [await nameIn(body), requiredText(body, 'id')];
    const row = await readRow(reader, words, batch, id);
    if (row === undefined) throw new BadRequest(`There is no row "${id}".`);
    const { next, ...facts } = row;
    const way = facts.ways.find((open) => open.way === body['way'] && open.row === body['row']);
    if (way === undefined) throw new ActionRefused(`This cannot be decided any more. ${next}`);
    const job = way.way === 'adopt' ? jobOf(body) : '';
    const flag = way.way === 'resubmit' || way.way === 'accept' ? way.way : undefined;
    const price = flag === undefined ? null : await actions.checkRedrive(batch, [way.row], flag);
    const signature = sign([batch, facts, way, job, price && agreedPrice(price)]);
    return { batch, job, answer: { type: 'decision', way, price, signature } };
  };
  return [
    ['/api/settle-check', async (body) => (await check(body)).answer],
    [
      '/api/settle',
      async (body) => {
        const signature = requiredText(body, 'signature');
        const { batch, job, answer: now } = await check(body);
        // The row or the bill has changed since the user saw it: answer with what the decision means now.
        if (!isSameSecret(now.signature, signature)) return now;
        const { way, row } = now.way;
        return actionAnswer(await actions.settle(batch, { way, row, job }, reasonOf(body)));
      },
    ],
    ['/api/look-up', async (body) => actionAnswer(await actions.lookUp(await nameIn(body), reasonOf(body)))],
  ];
}

/** Returns the job id that the user names. Throws if `reconcile --adopt ROW=JOB` would read it as something else. */
function jobOf(body: Body): string {
  const job = optionalText(body, 'job');
  if (job === undefined || /[=\s\p{Cc}]/u.test(job))
    throw new BadRequest('Expected the id of a job, as your account shows it.');
  return job;
}
