import { expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase, openLedger } from '../../../ledger/open-ledger.ts';
import { aBatch, aKey, claimAnew, fill, INTENT } from '../setup.ts';
import { newPlace } from './new-place.ts';

it('a worker goes on while a later version adds columns: its sessions planned their statements without them', async () => {
  const place = newPlace();
  const ledger = await openLedger(place, { makesTables: true });
  const later = await openDatabase({ place, mustExist: true });
  try {
    await fill(ledger, 3);
    for (const name of ['one', 'two']) {
      await ledger.findBatch('b');
      await claimAnew(ledger, { run: name });
      for (const table of ['batches', 'rows', 'charges', 'lanes'])
        await sql`alter table ${sql.table(table)} add column ${sql.ref(`added_${name}`)} text`.execute(later.db);
      // Readers and writers, each with a session of its own.
      const [batch, , made] = await Promise.all([
        ledger.findBatch('b'),
        claimAnew(ledger, { run: name }),
        ledger.createBatch(aBatch(name)),
      ]);
      expect(batch).toMatchObject({ name: 'b' });
      expect(made).toMatchObject({ batch: name });
    }
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  } finally {
    await Promise.all([ledger.close(), later.db.destroy()]);
  }
});
