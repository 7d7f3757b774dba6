import { expect, it } from '@jest/globals';
import { LedgerConnection } from '../../../ledger/postgres/connection.ts';
import { Sessions } from '../../../ledger/postgres/sessions.ts';
import { Outage } from '../../../store/outage.ts';
import { endAfterTest } from '../../support/end-after-test.ts';

it('all statements behind the one that failed tell its error, also one that comes twice', async () => {
  const place = process.env['TEST_POSTGRES'] ?? '';
  const outage = new Outage(0, () => undefined);
  const sessions = new Sessions(place, outage, 10_000);
  endAfterTest(() => sessions.close());
  const connection = new LedgerConnection(await sessions.get(), place, outage, () => sessions.open());
  connection.beginWriting();
  const asked = [connection.query('select 1 / $1::int', [0])];
  for (const n of [5, 6]) asked.push(connection.query('select $1::int as n', [n]));
  for (const end of await Promise.allSettled(asked)) {
    expect(end).toMatchObject({ status: 'rejected', reason: { message: 'division by zero' } });
  }
  await connection.rollback();
  sessions.put(connection.release());
});
