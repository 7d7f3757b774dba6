import { LedgerTooNew } from '../errors.ts';
import { versionsIn } from '../migrate.ts';
import { TABLES, type Db, type Schema, type Tx } from '../schema.ts';
import type { CopySide } from './copy-side.ts';
import { CopyRefused } from './copy-refused.ts';
import { readLedgerFacts, type CopyFacts } from './read-only.ts';

/** Throws {@link LedgerTooNew} if a newer version has added tables to a side, which would not be copied. */
export async function requireKnownTables({ database: { db, place }, versions }: CopySide): Promise<void> {
  const unknownVersion = (await versionsIn(db)).find((name) => !versions.includes(name));
  if (unknownVersion !== undefined) throw new LedgerTooNew(place, unknownVersion);
}

/**
 * Finds out how far an earlier call got (`copy-ledger.ts`). Returns the facts with which TO must only be opened;
 * `complete` if nothing is left to do; undefined if all is. Throws {@link CopyRefused} if FROM cannot be copied to TO.
 */
export async function findBegun(from: CopySide, to: CopySide): Promise<CopyFacts | 'complete' | undefined> {
  const [source, target] = [await readLedgerFacts(from.database.db), await readLedgerFacts(to.database.db)];
  if (source.readOnly?.type === 'incoming')
    throw new CopyRefused({ why: 'from-incoming', from: source.readOnly.place });
  if (source.readOnly?.type === 'moved') {
    const { copy, place } = source.readOnly;
    if (target.readOnly?.type === 'incoming' && target.readOnly.copy === copy) return target.readOnly;
    if (target.copied?.copy === copy && target.readOnly?.type !== 'incoming') return 'complete';
    throw new CopyRefused({ why: 'moved-elsewhere', to: place });
  }
  if (target.readOnly?.type === 'moved') throw new CopyRefused({ why: 'to-moved', to: target.readOnly.place });
  if (target.readOnly?.type === 'incoming' && target.id !== source.id)
    throw new CopyRefused({ why: 'to-incoming', from: target.readOnly.place });
  if (target.readOnly === undefined && source.id === target.id) throw new CopyRefused({ why: 'same' });
  // An unaccepted backup is read-only too, but it records what was paid: TO may replace none of that.
  if (target.readOnly?.type !== 'incoming') await requireEmpty(to.database.db);
  // Tables, triggers and views that are not voxbatch's, which the copy would lack.
  const differences = await from.database.findSchemaDifferences();
  if (differences.length > 0) throw new CopyRefused({ why: 'strange', parts: differences });
  return undefined;
}

/** Tables that a worker writes even in a ledger without batches; workers write these lines again. */
const MAY_HAVE_LINES: readonly string[] = ['facts', 'workers', 'limiters', 'text_limits'] satisfies (keyof Schema)[];

/** Throws {@link CopyRefused} unless a ledger is empty: no batch was ever recorded in it. */
export async function requireEmpty(db: Db | Tx): Promise<void> {
  for (const table of Object.keys(TABLES) as (keyof Schema)[]) {
    if (MAY_HAVE_LINES.includes(table)) continue;
    const found = await db.selectFrom(table).selectAll().limit(1).execute();
    if (found.length > 0) throw new CopyRefused({ why: 'not-empty', table });
  }
}
