import { attemptKeyOf, type AttemptKey } from '../../contract/batch.ts';
import { LedgerMisuse } from '../errors.ts';
import type { BoundMethods } from '../methods.ts';
import type { RecordedRequest } from '../requests/record-again.ts';
import type { SenderReport } from './copy-senders.ts';

/** Max requests remembered: the last minutes of a busy process. Most copies have older ones on record. */
const MAX_REMEMBERED = 10_000;
/** Max requests that one transaction records again. */
const PORTION = 250;

/** Records all remembered requests again, and reports that (`confirmSender`). */
export type Restore = (process: Pick<SenderReport, 'mark' | 'writers'>) => Promise<void>;

/** What {@link withMemory} needs of the database. */
export interface Remembered {
  /**
   * Registers the function to call after the first write to a copy that a person has accepted. No batch can be resumed
   * before it has succeeded.
   */
  onAccepted(restore: Restore): void;
  /** The number of the last commit of this process. */
  lastCommit(): number;
}

/** The methods of a ledger that {@link withMemory} uses or wraps. */
export type Requests = Pick<
  BoundMethods,
  'intend' | 'settle' | 'notePrice' | 'finishJob' | 'changeRunning' | 'recordAgain' | 'confirmSender' | 'readClock'
>;

/**
 * Makes a ledger remember the paid requests that this process recorded lately. If the database is replaced by a copy
 * that lacks the last of them, they would be sent again. So once a person has accepted the copy, they are recorded
 * again; and an answer to one of them first restores its record.
 */
export function withMemory<Ledger extends Requests>(ledger: Ledger, database: Remembered): Ledger {
  const requests = new Map<string, RecordedRequest & { readonly commit: number }>();
  /** Number of the last commit whose request is no longer remembered. */
  let forgotten = 0;
  const change = (key: AttemptKey, what: Partial<RecordedRequest>): void => {
    const known = requests.get(nameOf(key));
    if (known !== undefined) requests.set(nameOf(key), { ...known, ...what });
  };
  const recordAgain = async (key: AttemptKey): Promise<boolean> => {
    const known = requests.get(nameOf(key));
    if (known !== undefined) await ledger.recordAgain([known]);
    return known !== undefined;
  };
  /** Does work that needs the record of a request; if the record is missing, restores it and tries again. */
  const about = async <R>(key: AttemptKey, work: () => Promise<R>): Promise<R> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LedgerMisuse) || !(await recordAgain(key))) throw error;
      return work();
    }
  };
  /** Returns whether all of these are on record now. One that cannot be recorded does not stop the others. */
  const recordAll = async (all: readonly RecordedRequest[], portion: number): Promise<boolean> => {
    let isComplete = true;
    for (let at = 0; at < all.length; at += portion) {
      const some = all.slice(at, at + portion);
      const isRecorded = await ledger.recordAgain(some).then(
        () => true,
        () => some.length > 1 && recordAll(some, 1),
      );
      isComplete &&= isRecorded;
    }
    return isComplete;
  };
  database.onAccepted(async (process) => {
    // If some could not be recorded, this process stays unconfirmed, and a person decides.
    if (await recordAll([...requests.values()], PORTION)) await ledger.confirmSender({ ...process, forgotten });
  });
  return {
    ...ledger,
    intend: async (key, intent) => {
      // A copy that lacks its record would let this request be sent a second time.
      await recordAgain(key);
      const answer = await ledger.intend(key, intent);
      if (answer.type !== 'go') return answer;
      const commit = database.lastCommit();
      requests.set(nameOf(key), { key: attemptKeyOf(key), intent, at: await ledger.readClock(), commit });
      const [oldest] = requests;
      if (requests.size > MAX_REMEMBERED && oldest !== undefined) {
        requests.delete(oldest[0]);
        forgotten = Math.max(forgotten, oldest[1].commit);
      }
      return answer;
    },
    settle: async (key, verdict, effect) => {
      try {
        const answer = await about(key, () => ledger.settle(key, verdict, effect));
        if (answer.settled) change(key, { verdict: [verdict, effect] });
        return answer;
      } catch (error) {
        // The ledger has no row or take for it: recording it again keeps its job as that of an unplaced request.
        if (error instanceof LedgerMisuse) {
          change(key, { verdict: [verdict, effect] });
          await recordAgain(key);
        }
        throw error;
      }
    },
    finishJob: async (key, end, effect) => {
      const answer = await about(key, () => ledger.finishJob(key, end, effect));
      if (answer.finished) change(key, { end: [key, end, effect] });
      return answer;
    },
    notePrice: (key, answer) => about(key, () => ledger.notePrice(key, answer)),
    changeRunning: (key, effect) => about(key, () => ledger.changeRunning(key, effect)),
  };
}

function nameOf({ batch, row, step, take, attempt }: AttemptKey): string {
  return [batch, row, step, take, attempt].join('/');
}
