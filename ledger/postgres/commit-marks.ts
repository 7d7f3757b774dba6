import { randomUUID } from 'node:crypto';
import { LATELY_MS, MARK } from '../database/copy-senders.ts';
import { parametersFor, toFoundFacts, SELECT_FACTS } from './found-facts.ts';
import { markNumber, REMOVE_MARK, type CommitMark, type KeptMark } from './marks.ts';
import { isFromOrigin } from './origin.ts';
import { BEGIN_WRITING } from './session.ts';
import type { Sessions } from './sessions.ts';
import { comesAfter, recordRefusal, identify } from './database-identity.ts';

/**
 * Finds out whether a transaction was committed if the answer to its commit was lost.
 *
 * Each process has one fact, its *mark*, in which each of its transactions writes a new number. Once the transaction
 * has ended, which taking the writers' lock proves, the mark says whether it was committed. PostgreSQL's own
 * transaction ids (`pg_xact_status`) do not suffice: a server that is killed may give the id of a lost transaction to a
 * later one, which commits, and an intent would count as recorded that is not.
 */
export class CommitMarks {
  readonly #name = `${MARK}${randomUUID()}`;
  /** Number of the last mark. */
  #last = 0;
  #kept: KeptMark | undefined;
  /** When the last transaction was committed, in monotonic ms. */
  #keptAt = 0;
  /** When the database was first refused since then, in monotonic ms. */
  #refusedAt: number | undefined;

  /** The mark of the last transaction that was committed; undefined if there was none. */
  get kept(): KeptMark | undefined {
    return this.#kept;
  }

  /** Records that a transaction was committed. */
  keep(mark: KeptMark): void {
    this.#kept = mark;
    this.#keptAt = performance.now();
    this.#refusedAt = undefined;
  }

  /** Records that the database was refused: it is a copy, or another ledger's. */
  noteRefusal(): void {
    this.#refusedAt ??= performance.now();
  }

  /**
   * How many processes had ever begun to write to the former database when this one first connected to a copy of it;
   * null if it had not written for so long that it cannot know.
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
   * Whether the transaction of this mark was committed. Waits until it has ended. In an accepted copy: whether the copy
   * has it, which suffices, because the caller has sent nothing yet. Throws `LedgerAway`.
   */
  async wasCommitted(sessions: Sessions, mark: KeptMark): Promise<boolean> {
    const { name, value, acceptedAs, isFirst } = mark;
    return sessions.using(async (session) => {
      const acceptances = [acceptedAs, this.#kept?.acceptedAs];
      await session.query(BEGIN_WRITING, []);
      const { rows } = await session.query(SELECT_FACTS, parametersFor(name, acceptances));
      await session.query('rollback', []);
      const found = toFoundFacts(rows, session.origin, name, acceptances);
      // The acceptance that this transaction was to record first may not be there.
      const reliesOn = isFirst && !comesAfter(found, acceptedAs) ? this.#kept?.acceptedAs : acceptedAs;
      // Number 0, because the transaction may be missing: that is decided next.
      const identity = identify(found, { ledger: mark.ledger, acceptedAs: reliesOn, value: '0' });
      if (identity === 'ours') return markNumber(found.mark) === markNumber(value);
      this.noteRefusal();
      // If it fails, the next try records it.
      await recordRefusal(session, found, identity, reliesOn).catch(() => undefined);
      // Once a person has accepted a copy, it can be decided.
      throw sessions.notTheSame(identity !== 'another-ledger');
    });
  }

  /**
   * Removes the mark of this process, which ends. Best effort. Marks of killed processes stay, because a process that
   * is only idle and misses its mark would conclude that the database was set back. In a copy that lacks what this
   * process has written, the mark stays, too: only the mark tells whoever accepts the copy that something is missing.
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
