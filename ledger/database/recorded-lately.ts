import { attemptKeyOf, type AttemptKey } from '../../contract/batch.ts';
import { LedgerMisuse } from '../errors.ts';
import type { BoundMethods } from '../methods.ts';
import type { RecordedRequest } from '../requests/record-again.ts';
import type { Return } from './copy-senders.ts';

/**
 * Requests that are remembered, the newest: the last minutes of a busy process. Older ones are on record in most
 * copies.
 */
const MOST = 10_000;
/** Requests that one transaction records again. */
const PORTION = 250;

/** Records all again, and says so. */
export type Restore = (process: Pick<Return, 'mark' | 'writers'>) => Promise<void>;

/** The database of such a ledger. */
export interface Remembered {
  /**
   * Is given what to call after the first write to a copy that a person has accepted. Nobody resumes before it has
   * succeeded.
   */
  onAccepted(restore: Restore): void;
  /** The number of the last commit of this process. */
  lastCommit(): number;
}

/** What a ledger can be asked about requests. */
export type Requests = Pick<
  BoundMethods,
  'intend' | 'settle' | 'notePrice' | 'finishJob' | 'changeRunning' | 'recordAgain' | 'cameBack' | 'readClock'
>;

/**
 * A ledger that remembers the paid requests that this process recorded lately. A copy of the database that takes its
 * place may lack the last of them, and whatever is not on record would be sent again. So once a person has accepted the
 * copy, they are recorded again, and an answer to one of them has a record to settle.
 */
export function withMemory<Ledger extends Requests>(ledger: Ledger, database: Remembered): Ledger {
  const requests = new Map<string, RecordedRequest & { readonly commit: number }>();
  /** The last commit of a request that is remembered no more. */
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
  /** Repeats what needs the record of a request, once that is there again. */
  const about = async <R>(key: AttemptKey, work: () => Promise<R>): Promise<R> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LedgerMisuse) || !(await recordAgain(key))) throw error;
      return work();
    }
  };
  /** Whether all of these are on record now. One that cannot be recorded does not keep the others from it. */
  const recordAll = async (all: readonly RecordedRequest[], portion: number): Promise<boolean> => {
    let isWhole = true;
    for (let at = 0; at < all.length; at += portion) {
      const some = all.slice(at, at + portion);
      const isRecorded = await ledger.recordAgain(some).then(
        () => true,
        () => some.length > 1 && recordAll(some, 1),
      );
      isWhole &&= isRecorded;
    }
    return isWhole;
  };
  database.onAccepted(async (process) => {
    // Otherwise a person decides.
    if (await recordAll([...requests.values()], PORTION)) await ledger.cameBack({ ...process, forgotten });
  });
  return {
    ...ledger,
    intend: async (key, intent) => {
      // Otherwise a copy would let it be sent a second time.
      await recordAgain(key);
      const answer = await ledger.intend(key, intent);
      if (answer.type !== 'go') return answer;
      const commit = database.lastCommit();
      requests.set(nameOf(key), { key: attemptKeyOf(key), intent, at: await ledger.readClock(), commit });
      const [oldest] = requests;
      if (requests.size > MOST && oldest !== undefined) {
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
        // It has no place: the ledger keeps the job of the answer beside it.
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
