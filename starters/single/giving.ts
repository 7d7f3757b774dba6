import type { SingleRecord } from '../../client/single/find-single.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { HandOutRequest } from '../../client/single/single-view.ts';
import type { Output } from '../terminal/output.ts';

/** A result that was handed out. */
export interface Given {
  readonly exit: ExitName;
  /** The file that holds it now, as a person would write it; null: it went to stdout. */
  readonly file: string | null;
}

/** What hands out a result. */
export interface Giving {
  /** Checks, before anything is paid for, that the result can be handed out. Throws {@link ExitError}. */
  readonly ready: () => Promise<void>;
  /** Hands out the result of a job that has one. */
  readonly give: (record: SingleRecord, place: GivingPlace) => Promise<Given>;
}

/** What handing out needs. */
export interface GivingPlace {
  readonly store: HandOutRequest['store'];
  readonly output: Output;
  /** The job had ended before, and nothing was sent now. */
  readonly isOld: boolean;
  /** Print no line of data: one of JSON follows. */
  readonly json: boolean;
}
