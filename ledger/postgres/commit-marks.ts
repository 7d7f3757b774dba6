import { randomUUID } from 'node:crypto';
import { LATELY_MS, MARK } from '../database/copy-senders.ts';
import { parametersFor, toFoundFacts, SELECT_FACTS } from './found-facts.ts';
import { markNumber, REMOVE_MARK, type CommitMark, type KeptMark } from './marks.ts';
import { isFromOrigin } from './origin.ts';
import { BEGIN_WRITING, type Sessions } from './sessions.ts';
import { comesAfter, recordRefusal, identify } from './database-identity.ts';

/**
 * How a process finds out whether a transaction was committed if the answer to its commit was lost.
 *
 * Each process has one fact, in which each of its transactions writes a number of its own. Once the former transaction
 * has ended, which the writers' lock proves, the fact says whether it was committed. PostgreSQL's own number of the
 * transaction would not do (`pg_xact_status`): a server that is killed may give the number of a lost transaction to a
 * later one, which commits, and an intent would be taken for recorded that is not.
 */
export class CommitMarks {
  readonly #name = `${MARK}${randomUUID()}`;
  #last = 0;
  #kept: KeptMark | undefined;
  #keptAt = 0;
  #refusedAt: number | undefined;

  /** The mark of the last transaction that was committed; undefined if there was none. */
  get kept(): KeptMark | undefined {
    return this.#kept;
  }

  /** A transaction was committed. */
  keep(mark: KeptMark): void {
    this.#kept = mark;
    this.#keptAt = performance.now();
    this.#refusedAt = undefined;
  }

  /** The database is not written to. */
  noteRefusal(): void {
    this.#refusedAt ??= performance.now();
  }

  /**
   * How many processes had begun to write when the copy was met; null if this one had written nothing for too long to
   * know.
   */
  get writersBefore(): number | null {
    const gapMs = (this.#refusedAt ?? performance.now()) - this.#keptAt;
    return gapMs > LATELY_MS ? null : (this.#kept?.writers ?? 0);
  }

  /** The mark of the next transaction. */
  next(): CommitMark {
    this.#last += 1;
    return { name: this.#name, value: String(this.#last) };
  }

  /**
   * Whether the transaction of this mark was committed. Waits until it has ended. In a copy that a person has accepted
   * it is whether the copy has it: whoever waits for the answer has sent nothing yet. Throws `LedgerAway`.
   */
  async wasCommitted(sessions: Sessions, mark: KeptMark): Promise<boolean> {
    const { name, value, acceptedAs, isFirst } = mark;
    return sessions.using(async (session) => {
      const asked = [acceptedAs, this.#kept?.acceptedAs];
      await session.query(BEGIN_WRITING, []);
      const { rows } = await session.query(SELECT_FACTS, parametersFor(name, asked));
      await session.query('rollback', []);
      const found = toFoundFacts(rows, session.origin, name, asked);
      // What it was to put on record may not be there.
      const reliesOn = isFirst && !comesAfter(found, acceptedAs) ? this.#kept?.acceptedAs : acceptedAs;
      const identity = identify(found, { ledger: mark.ledger, acceptedAs: reliesOn, value: '0' });
      if (identity === 'ours') return markNumber(found.mark) === markNumber(value);
      this.noteRefusal();
      await recordRefusal(session, found, identity, reliesOn).catch(() => undefined);
      // Once a person has accepted a copy, it can be said.
      throw sessions.notTheSame(identity !== 'another-ledger');
    });
  }

  /**
   * Removes the mark of this process, which ends. Best effort. Those of processes that were killed stay: one that only
   * has not written for long, and lacked its mark, would take the database for one that was set back. In a copy that
   * lacks what this process has written, its mark stays, too: it is all that says so, and whoever accepts the copy is
   * told by it.
   */
  async remove(sessions: Sessions): Promise<void> {
    if (this.#kept === undefined) return;
    const { name, value, acceptedAs } = this.#kept;
    await sessions
      .using(async (session) => {
        if (isFromOrigin(session.origin, acceptedAs)) await session.query(REMOVE_MARK, [name, value, acceptedAs]);
      })
      .catch(() => undefined);
  }
}
