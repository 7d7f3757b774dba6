import { describe, expect, it } from '@jest/globals';
import type { WorkEvent } from '../../contract/work-events.ts';
import { notePrice } from '../../activities/store-result.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { keyOf } from './rows.ts';

/** A ledger that only notes, or fails to. */
function noting(note: Ledger['notePrice'], events: WorkEvent[] = []): Parameters<typeof notePrice>[0] {
  const ledger = { notePrice: note } as Partial<Ledger> as Ledger;
  return { ledger, observe: (event) => events.push(event) };
}

describe('notePrice', () => {
  it('notes what the answer says, and nothing where it names no price', async () => {
    const noted: unknown[] = [];
    const ledger = noting(async (...what) => {
      noted.push(what);
    });
    for (const facts of [{ credits: 0 }, { credits: 7, requestId: 'q' }, { requestId: 'q' }, {}]) {
      await notePrice(ledger, keyOf(1), facts);
    }
    expect(noted).toEqual([
      [keyOf(1), { credits: 0 }],
      [keyOf(1), { credits: 7, requestId: 'q' }],
    ]);
  });

  it('logs a price that cannot be noted, and goes on', async () => {
    const events: WorkEvent[] = [];
    await notePrice(
      noting(() => Promise.reject(new Error('no room')), events),
      keyOf(7),
      { credits: 7 },
    );
    expect(events).toMatchObject([{ what: 'price-unrecorded', row: 7, facts: { credits: 7 }, error: 'no room' }]);
  });
});
