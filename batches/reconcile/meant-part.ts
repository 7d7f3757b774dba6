import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../../ledger/record-types.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { findTake, type TakeByName } from '../rows/find-take.ts';
import { nameOf, type NamedRow } from '../rows/named-row.ts';

/** What a word means. `several-parts`: the row is spoken in parts, and more than one of them could be meant. */
export type MeantTake =
  TakeByName | { readonly type: 'several-parts'; readonly word: string; readonly parts: readonly NamedRow[] };

/** Whether a part could be meant. `take`: as in the word. */
export type PartTest = (part: RowStanding, take: number | undefined) => boolean | Promise<boolean>;

/**
 * Finds what `ROW` or `ROW/TAKE` means, as {@link findTake} does. A row in parts has no request of its own: its only part
 * that passes the test is meant. If none does, it is the row, which has then nothing to settle.
 */
export async function findMeant(
  ledger: Pick<Ledger, 'findRowById' | 'readRow' | 'partsOf'>,
  batch: Pick<BatchRecord, 'name' | 'rows'>,
  word: string,
  isMeant: PartTest,
): Promise<MeantTake> {
  const named = await findTake(ledger, batch, word);
  if (named.type !== 'found') return named;
  const meant: RowStanding[] = [];
  for (const part of await ledger.partsOf(batch.name, named.row)) if (await isMeant(part, named.take)) meant.push(part);
  const [first, ...others] = meant;
  if (first === undefined) return named;
  if (others.length > 0) return { type: 'several-parts', word, parts: meant.map(({ row }) => nameOf(row)) };
  return { ...named, row: first.row.row };
}

/** Whether a take of a part, by default its present one, has a request whose outcome is unknown. */
export const isInDoubt: PartTest = ({ row, charges }, take = presentTake(row)) =>
  charges.some((one) => one.take === take && one.state === 'unknown');
