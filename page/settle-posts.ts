import { isSameSecret } from '../client/http/same-secret.ts';
import type { Reader } from '../client/look/open-reader.ts';
import { ActionRefused, type PageActions } from './actions.ts';
import { readRow, type PageWords } from './answers.ts';
import { BadPost, done, reasonOf, textIn, textOf, type Body, type Post, agreedPrice, type Sign } from './post-body.ts';
import type { SettleAnswer } from './protocol.ts';

interface Surroundings {
  readonly reader: Reader;
  readonly words: PageWords;
  readonly actions: PageActions;
  readonly sign: Sign;
  readonly nameIn: (body: Body) => Promise<string>;
}

/** A decision, as it stands now. */
interface Checked {
  readonly batch: string;
  readonly job: string;
  readonly answer: SettleAnswer;
}

/** The posts that settle lost requests and kept results, by path. */
export function settlePosts({ reader, words, actions, sign, nameIn }: Surroundings): readonly [string, Post][] {
  const check = async (body: Body): Promise<Checked> => {
    const [batch, id] = [await nameIn(body), textOf(body, 'id')];
    const row = await readRow(reader, words, batch, id);
    if (row === undefined) throw new BadPost(`There is no row "${id}".`);
    const { next, ...facts } = row;
    const way = facts.ways.find((one) => one.way === body['way'] && one.row === body['row']);
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
        const signature = textOf(body, 'signature');
        const { batch, job, answer: now } = await check(body);
        // The row, or what this means for the bill, is another than a person has seen: the same question again.
        if (!isSameSecret(now.signature, signature)) return now;
        const { way, row } = now.way;
        return done(await actions.settle(batch, { way, row, job }, reasonOf(body)));
      },
    ],
    ['/api/look-up', async (body) => done(await actions.lookUp(await nameIn(body), reasonOf(body)))],
  ];
}

/** The job that a person names. What the command would read as something else is refused. */
function jobOf(body: Body): string {
  const { job = '' } = textIn(body, 'job');
  if (job === '' || /[=\s\p{Cc}]/u.test(job)) throw new BadPost('Expected the id of a job, as your account shows it.');
  return job;
}
