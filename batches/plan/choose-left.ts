import { isDeepStrictEqual } from 'node:util';
import type { SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { IsChosen } from '../../policy/subset/subset.ts';
import type { SkippedRoom } from './skipped-rows.ts';

/** Which of the rows that earlier runs of a batch left out a run of its manifest sends. */
export interface LeftChoice {
  /** Selects among those that `--limit` or `--sample` left out. */
  readonly isChosen: IsChosen;
  /** Selects among those that the budget left out. */
  readonly room: SkippedRoom;
  /** False: there are none, whatever is selected. */
  readonly isAny: boolean;
}

/** `left`: credits left of the batch's budget; null: it has none. */
export async function chooseLeft(
  ledger: Pick<Ledger, 'counts' | 'chargeOutlook'>,
  batch: Pick<BatchRecord, 'name' | 'subset'>,
  { summary, options }: Pick<SoundManifest, 'summary' | 'options'>,
  left: number | null,
): Promise<LeftChoice> {
  const { total, notChosen, outcomes } = await ledger.counts(batch.name);
  const { subset = null } = options;
  // A repeated subset is already complete; an earlier version may have drawn other rows for it than this one would.
  const isComplete = total - notChosen === subset?.rows && isDeepStrictEqual(batch.subset, subset);
  const outlook = await ledger.chargeOutlook(batch.name);
  return {
    isChosen: isComplete ? () => false : summary.isChosen,
    room: { isChosen: isComplete ? () => true : summary.isChosen, left, outlook },
    isAny: outcomes.skipped > notChosen || (notChosen > 0 && !isComplete),
  };
}
