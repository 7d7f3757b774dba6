import type { Failure } from '../../contract/failures.ts';
import type { Step } from '../../contract/row-kinds.ts';
import type { NewRow, RowStanding } from '../../ledger/record-types.ts';
import type { EarlierTake } from '../../policy/redrive/earlier-take.ts';
import type { RowConditions } from '../rows/row-conditions.ts';

/** The rows of a redrive as they were found, and how they are to be treated. */

/** A row's new request. */
export interface RowEdit extends Pick<NewRow, 'spec' | 'input' | 'quoted'> {
  /** The first step that reads a changed cell; null if none does. */
  readonly from: Step | null;
}

/** A take to go back to, and the text of its result if that is one. */
export interface FoundTake extends EarlierTake {
  readonly text?: string;
}

/** A row of a batch found in a file. `edit` is null if nothing changed. */
export interface FoundRow {
  readonly scanned: RowStanding;
  readonly edit: RowEdit | null;
  /**
   * Its stored file is lost, and why; `scanned` is the row without it. `outcome`: how it ended; `isJoined`: it is a part,
   * and its row has its joined file. Default: it is not lost.
   */
  readonly lost?: {
    readonly failure: Failure;
    readonly outcome: RowStanding['row']['outcome'];
    readonly isJoined: boolean;
  };
  /** With `accept`: the take whose result it goes back to, and once that was looked for, what is known about it. */
  readonly take?: number;
  readonly earlier?: FoundTake;
  /** The take since which it asks for what it asks for now; looked for where an earlier job of it was never fetched. Default: the first. */
  readonly askedSince?: number;
  /** Its stored file was lost, and is back as it is on record. Default: it is not. */
  readonly restored?: true;
  /** Only texts of it are lost, which are stored again without the API: it needs nothing else. Default: no. */
  readonly rewritten?: true;
}

/** How to treat the chosen rows. */
export interface RedriveRules {
  readonly step: Step | null;
  readonly resubmit: boolean;
  /** Replace existing results. */
  readonly replace: boolean;
  /** Accept results that failed a check, or lack the answer of one, as they are; or those of earlier takes. */
  readonly accept: boolean;
  /** Only rows with a result whose stored file is lost or damaged. Default false. */
  readonly damaged?: boolean;
  /** Of a row in parts, only those of its parts without a result that meet these. Default: all of them. */
  readonly only?: RowConditions;
  /** Rows that ended `overdue` need explicit consent: `run overdue.csv` could mean either. */
  readonly asksForOverdue: boolean;
}

/** The rows of a redrive. Each iteration starts anew: one announces the redrive, another carries it out. */
export type FoundRows = AsyncIterable<FoundRow>;
