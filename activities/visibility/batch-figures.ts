import { roundCredits } from '../../contract/price-units.ts';
import type { BatchFigures } from '../../contract/search-attributes.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { Dependencies } from '../dependencies.ts';

/** How a batch stands. Reads kept sums, whatever the batch's size. */
export async function figuresOf(
  { ledger }: Pick<Dependencies, 'ledger'>,
  { name, control }: Pick<BatchRecord, 'name' | 'control'>,
): Promise<BatchFigures> {
  const [{ total, notChosen, outcomes }, { charged }] = await Promise.all([ledger.counts(name), ledger.money(name)]);
  const done = Object.values(outcomes).reduce((sum, rows) => sum + rows, 0) - notChosen;
  const rows = total - notChosen;
  return {
    state: done === rows ? 'ended' : control,
    rows,
    done,
    failed: outcomes.failed,
    unknown: outcomes.unknown,
    credits: roundCredits(charged),
  };
}
