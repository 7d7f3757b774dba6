import { hasMadeVoice, isNoPart } from '../conditions.ts';
import type { Db } from '../schema.ts';

/** A voice that rows of a batch speak with. */
export interface VoiceCount {
  /** As the rows ask for it: its id, or `name:…` until that is known. */
  readonly voice: string;
  readonly rows: number;
  /** The number of the first of them. */
  readonly firstRow: number;
}

/** The voices that most rows of the batch speak with, and their rows. Reads every row. */
export async function voiceCounts(db: Db, batch: string, most: number): Promise<readonly VoiceCount[]> {
  return db
    .selectFrom('rows')
    .select((eb) => [
      eb.ref('voice').$notNull().as('voice'),
      eb.fn.countAll<number>().as('rows'),
      eb.fn.min<number>('row').as('firstRow'),
    ])
    .where('batch', '=', batch)
    .where(isNoPart('rows'))
    .where('voice', 'is not', null)
    .groupBy('voice')
    .orderBy('rows', 'desc')
    .orderBy('firstRow')
    .limit(most)
    .execute();
}

/** The names that rows of any batch gave to voices that they made, by the ids of the voices. */
export async function namesOfMadeVoices(db: Db, voices: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (voices.length === 0) return new Map();
  const made = await db
    .selectFrom('rows')
    .select(['text', 'name'])
    .where(hasMadeVoice('rows'))
    .where('text', 'in', voices)
    .execute();
  return new Map(made.flatMap(({ text, name }) => (text === null || name === null ? [] : [[text, name]])));
}
