import { type Joining, type WantedFinishing, effectiveFinishing, soundOptions } from '../../contract/finishing.ts';
import { defined } from '../../contract/defined.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { byPerson } from '../history/by-person.ts';
import { refuseOption } from '../problem.ts';
import { requireWritable } from '../machine-faults.ts';
import type { Settings } from '../settings.ts';
import { requireFinishing } from './require-finishing.ts';

/** What is wanted of a batch's sound that it did not have. */
export interface AddedSound {
  readonly join?: Joining | undefined;
  readonly finish?: WantedFinishing | undefined;
}

/**
 * Has a batch's sound joined or finished that was begun without: free, for it changes no row. It is kept with the
 * batch, as if it had been begun so. Returns the batch as it is then. Throws {@link VoxbatchError} (`bad-option`) if
 * the batch cannot be joined so, is joined or finished otherwise already, or this machine cannot do it.
 */
export async function addSound(
  ledger: Ledger,
  settings: Settings,
  batch: BatchRecord,
  { join, finish: wanted }: AddedSound,
): Promise<BatchRecord> {
  const { reading } = batch.settings;
  const finish = wanted === undefined ? undefined : effectiveFinishing(wanted, reading.finish);
  if (join !== undefined) await requireJoinable(ledger, batch, join);
  requireSame('join', reading.join && { join: reading.join }, join && { join });
  requireSame('finish', reading.finish && { finish: reading.finish }, finish && { finish });
  await requireFinishing(defined({ finish }), settings.env);
  requireWritable(ledger);
  await ledger.addSound(batch.name, defined({ join, finish }), byPerson(settings));
  return (await ledger.findBatch(batch.name)) ?? batch;
}

/** A batch is joined and finished in one way, so that its files say how they were made. */
function requireSame(
  option: string,
  before: Parameters<typeof soundOptions>[0] | undefined,
  after: Parameters<typeof soundOptions>[0] | undefined,
): void {
  if (before === undefined || after === undefined) return;
  const [was, is] = [before, after].map((one) => JSON.stringify(soundOptions(one)));
  if (was !== is)
    refuseOption(option, `${was ?? ''}, as the batch was begun (or another --name, which pays nothing twice)`, is);
}

async function requireJoinable(ledger: Ledger, { name, columns }: BatchRecord, { column }: Joining): Promise<void> {
  const at = columns.indexOf(column);
  if (at === -1) refuseOption('join', `a column of the batch (${columns.join(', ')})`, column);
  for await (const { row } of ledger.scanRows(name)) {
    const isJoined = (row.input[at]?.trim() ?? '') !== '';
    if (isJoined && row.kind !== 'tts')
      refuseOption(
        'join',
        `a column that is empty in rows that make no speech, such as row ${row.row} (${row.id})`,
        column,
      );
  }
}
