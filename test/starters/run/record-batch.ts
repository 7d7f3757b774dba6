import { createHash } from 'node:crypto';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { Loading } from '../../../ledger/batches/batch-records.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import type { Reading } from '../../../contract/batch.ts';
import type { Flags } from '../../../starters/commands/flags.ts';
import { readSettings } from '../../../starters/connect/settings.ts';
import { readRunFlags } from '../../../starters/run/run-options.ts';
import { json } from '../command-line.ts';

/** Does this with the ledger of the folder, which is made if there is none. */
export async function withLedger<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger('.voxbatch/ledger.db', { mustExist: false });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** What is run: a manifest of these columns, with these flags, under this name. */
export interface Recorded {
  readonly name: string;
  readonly manifest: string;
  readonly columns: readonly string[];
  readonly flags: Flags;
  /** What of the reading is not from the flags. */
  readonly reading?: Partial<Reading>;
}

/** The batch that `run` makes of a manifest here. */
export async function recordBatch(
  ledger: Ledger,
  { name, manifest, columns, flags, reading }: Recorded,
): Promise<Loading> {
  const { value: profile } = await json('profile');
  const { settings } = await readRunFlags('lines.csv', flags, await readSettings());
  return ledger.createBatch({
    ...{ name, columns, source: `${name}.csv`, digest: createHash('sha256').update(manifest).digest('hex') },
    ...{ apiUrl: String(profile['api']), account: String(profile['user_id']) },
    settings: { ...settings, reading: { ...settings.reading, ...reading } },
  });
}
