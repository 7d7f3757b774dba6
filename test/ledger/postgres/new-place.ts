import { newAddress } from '../copy/sides.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The address of a new ledger on the server of the tests. */
export const newPlace = (): string => newAddress('postgres', '');

/** Resumes a batch, once all that a copy lacks is on record again. */
export async function resume(ledger: Ledger, batch = 'b'): Promise<void> {
  await waitFor(async () => (await ledger.setControl(batch, 'running').catch(() => undefined)) === 'running');
}
