import { byItself } from '../../contract/actions.ts';
import { defined } from '../../contract/defined.ts';
import { type Finishing, type Joining, soundOptions } from '../../contract/finishing.ts';
import { LedgerMisuse } from '../errors.ts';
import { noteAction } from '../history/actions.ts';
import { settingsColumns } from './batch-records.ts';
import type { Db } from '../schema.ts';
import { write } from '../database/transactions.ts';
import { requireBatch } from './read-batches.ts';
import { setBatch } from './set-batch.ts';

/** How the audio files of a batch are joined, and finished (loudness, silence and the like). */
export interface Sound {
  readonly join?: Joining | undefined;
  readonly finish?: Finishing | undefined;
}

/**
 * Adds options for joining or finishing audio to a batch's settings. Changes no row, and costs nothing. Throws {@link
 * LedgerMisuse} if the batch already has other such options.
 */
export async function addSound(db: Db, batch: string, { join, finish }: Sound, by = byItself(null)): Promise<void> {
  await write(db, async (tx) => {
    const { settings } = await requireBatch(tx, batch);
    const before = soundOptions(settings.reading);
    const reading = { ...settings.reading, ...(join && { join }), ...(finish && { finish }) };
    const after = soundOptions(reading);
    const changed = Object.fromEntries(
      Object.entries(after).flatMap(([name, to]) => {
        const from = before[name] ?? 'none';
        return from === to ? [] : [[name, { from, to }]];
      }),
    );
    if (Object.keys(changed).length === 0) return;
    const { reading: was } = settings;
    if (isOther({ join: was.join }, { join }) || isOther({ finish: was.finish }, { finish }))
      throw new LedgerMisuse(`Batch "${batch}" is joined or finished otherwise already.`);
    await setBatch(tx, batch, settingsColumns({ ...settings, reading }));
    await noteAction(tx, by, { kind: 'tune', batch, details: { changed } });
  });
}

/** Whether both have such options, and they differ. */
function isOther(was: Sound, wanted: Sound): boolean {
  const [before, after] = [was, wanted].map((one) => JSON.stringify(soundOptions(defined(one))));
  return before !== NONE && after !== NONE && before !== after;
}

/** JSON of no options. */
const NONE = JSON.stringify({});
