import { describe, expect, it } from '@jest/globals';
import { CommitMarks } from '../../../ledger/postgres/commit-marks.ts';
import type { CommitMark } from '../../../ledger/postgres/marks.ts';
import type { Sessions } from '../../../ledger/postgres/sessions.ts';

const OURS = 'ours/1';
const COPY = 'ours/2';
const MARK = { name: 'commit:me', value: '7 1000', acceptedAs: `${OURS} x`, isFirst: false, ledger: 'l', writers: 1 };
const COPIED = { [`before:${OURS} x`]: 'accepted' };

/** Whether the transaction of the mark was committed, by a database of this origin with these facts. */
function ask(origin: string, facts: Readonly<Record<string, string>>, isFirst = false): Promise<boolean> {
  const rows: CommitMark[] = Object.entries({ id: 'l', ...facts }).map(([name, value]) => ({ name, value }));
  const session = {
    origin,
    query: (text: string) => Promise.resolve({ rows: text.startsWith('select name') ? rows : [] }),
  };
  const sessions = {
    using: <T>(work: (one: typeof session) => Promise<T>) => work(session),
    notTheSame: (mayBeAccepted: boolean) => new Error(mayBeAccepted ? 'a copy' : 'another database'),
  };
  return new CommitMarks().wasCommitted(sessions as unknown as Sessions, { ...MARK, isFirst });
}

describe('whether a transaction was committed whose answer was lost', () => {
  it('is what the database says that it was sent to', async () => {
    expect(await ask(OURS, { database: `${OURS} x`, 'commit:me': '7 1000' })).toBe(true);
    expect(await ask(OURS, { database: `${OURS} x`, 'commit:me': '6 900' })).toBe(false);
    // It was to be the first of all.
    expect(await ask(OURS, {}, true)).toBe(false);
  });

  it('cannot be said by a copy that nobody has accepted, one accepted before, nor by the database of another ledger', async () => {
    await expect(ask(COPY, { database: `${OURS} x`, 'commit:me': '7 1000' })).rejects.toThrow('a copy');
    await expect(ask(OURS, { database: `${OURS} w`, 'commit:me': '6 900' })).rejects.toThrow('a copy');
    await expect(ask('other/1', { id: 'other', database: 'other/1 y' })).rejects.toThrow('another database');
  });

  it('is whether a copy has it that a person has accepted, before or after others wrote to it', async () => {
    expect(await ask(COPY, { ...COPIED, 'commit:me': '6 900' })).toBe(false);
    expect(await ask(COPY, { ...COPIED, database: `${COPY} z`, 'commit:me': '6 900' })).toBe(false);
    expect(await ask(COPY, { ...COPIED, database: `${COPY} z`, 'commit:me': '7 1000' })).toBe(true);
  });
});
