import { hasMadeVoice, isNoPart } from '../conditions.ts';
import type { Db } from '../schema.ts';

/** A voice that rows of a batch speak with. */
export interface VoiceCount {
  /** Its id, or `name:…` as in the manifest while the id is unknown. */
  readonly voice: string;
  readonly rows: number;
  /** Number of the first of these rows. */
  readonly firstRow: number;
}

/** Returns the voices with the most rows of a batch, at most `max`, and how many these are. Reads every row. */
export async function voiceCounts(db: Db, batch: string, max: number): Promise<readonly VoiceCount[]> {
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
    .limit(max)
    .execute();
}

/** Returns the names of those of these voices (ids) that rows of any batch have created, by id. */
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
