import { type Joining, type WantedFinishing, effectiveFinishing, soundOptions } from '../../contract/finishing.ts';
import { defined } from '../../contract/defined.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { byPerson } from '../history/by-person.ts';
import { refuseOption } from '../problem.ts';
import { requireWritable } from '../machine-faults.ts';
import type { Settings } from '../settings.ts';
import { requireFinishing } from './require-finishing.ts';

/** Joining of files, and finishing (loudness, silence, format), to add to a batch that was started without. */
export interface AddedSound {
  readonly join?: Joining | undefined;
  readonly finish?: WantedFinishing | undefined;
}

/**
 * Adds joining or finishing of sound to a batch, as if it had been started with it. Free, because no row changes.
 * Returns the changed batch. Throws {@link VoxbatchError} (`bad-option`) if the batch cannot be joined by that column,
 * already has another joining or finishing, or if this machine cannot do it.
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

/** Throws if a batch already has the option with another value: all of its files must be made in the same way. */
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

/** Throws if the batch lacks the column, or a row that makes no speech has a value in it. */
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
