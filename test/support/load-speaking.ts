import { openLedger } from '../../ledger/open-ledger.ts';
import { aBatch, aRow } from '../ledger/setup.ts';

/** Loads the batch `lines`, of one row that speaks with this voice, on an account. */
export async function loadSpeaking(voice: string, of: Speaker): Promise<void> {
  const { path, ...realm } = of;
  const ledger = await openLedger(path);
  const row = aRow(1);
  const loading = await ledger.createBatch({ ...aBatch('lines'), ...realm });
  await ledger.addRows(loading, [{ ...row, spec: { ...row.spec, voice } }]);
  await ledger.openBatch(loading, 1);
  await ledger.close();
}

interface Speaker {
  /** The path of the ledger. */
  readonly path: string;
  readonly apiUrl: string;
  readonly account: string;
}
