import { expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { BEGIN_WRITING } from '../../../ledger/postgres/session.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { aKey, fill, INTENT } from '../setup.ts';
import { newPlace } from './new-place.ts';

/** The server cancels this one itself, as it does with any that an operator cancels or that takes too long. */
const CANCELLED = 'select pg_cancel_backend(pg_backend_pid()), pg_sleep(5)';

type Query = (this: pg.Client, query: string | { readonly text: string }, ...rest: unknown[]) => unknown;

/** The next statements of these beginnings are cancelled, one after the other. */
function cancelNext(...beginnings: string[]): () => readonly string[] {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- It is called with `call`.
  const original = pg.Client.prototype.query as unknown as Query;
  const query: Query = function (asked, ...rest) {
    const text = typeof asked === 'string' ? asked : asked.text;
    const [next] = beginnings;
    if (next === undefined || !text.startsWith(next)) return original.call(this, asked, ...rest);
    beginnings.shift();
    return original.call(this, { text: CANCELLED }, ...rest);
  };
  jest.spyOn(pg.Client.prototype, 'query').mockImplementation(query);
  return () => beginnings;
}

it.each([[[BEGIN_WRITING]], [[BEGIN_WRITING, 'insert into "charges"']]])(
  'a request is recorded for one process alone where the server cancels the begin (%j)',
  async (cancelled) => {
    const place = newPlace();
    const first = await openLedger(place, { makesTables: true, waits: true });
    const second = await openLedger(place, { waits: true });
    endAfterTest(() => Promise.all([first.close(), second.close()]));
    await fill(first, 3);
    const left = cancelNext(...cancelled);
    expect(await first.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
    expect(left()).toEqual([]);
    expect((await second.readRow('b', 1))?.charges).toHaveLength(1);
    expect(await second.intend(aKey(1), { ...INTENT, owner: 'w2' })).not.toMatchObject({ type: 'go' });
  },
);
