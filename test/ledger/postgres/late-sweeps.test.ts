import { expect, it } from '@jest/globals';
import { BEGIN_WRITING } from '../../../ledger/postgres/session.ts';
import { waitFor } from '../../support/wait-for.ts';
import { accept } from '../actions.ts';
import { outcomes } from '../readings.ts';
import { ledger, ledgerForEachTest, load } from '../setup.ts';
import { openOther, waitingWriters } from './waiting-writers.ts';

/** A sweep finds its rows before its turn to write comes, and a slow line or a long queue of writers may lie between. */

ledgerForEachTest();

it.each<[string, string, readonly string[]]>([
  ['the batch runs again', "control = 'running', stop_now = 0", ['processing', 'waiting', 'waiting']],
  // The answer to a request in doubt opens a closed batch so.
  ['jobs are waited for again', 'stop_now = 0', ['processing', 'cancelled', 'cancelled']],
  ['the batch is closed', "state = 'closed'", ['processing', 'waiting', 'waiting']],
])('a sweep whose turn comes when %s ends no row for which that no longer holds', async (_, meanwhile, left) => {
  await load(3);
  await accept(1);
  const other = await openOther(new URL(ledger.place).searchParams.get('schema') ?? '');
  await other.query("update batches set control = 'stopping', stop_now = 1");
  await other.query(BEGIN_WRITING);
  const sweep = ledger.cancelRest('b');
  await waitFor(async () => (await waitingWriters(other)) === 1);
  await other.query(`update batches set ${meanwhile}; commit`);
  expect(await sweep).toBe(left.filter((is) => is === 'cancelled').length);
  expect(await outcomes()).toEqual(left);
});
