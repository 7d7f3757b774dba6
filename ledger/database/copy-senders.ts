import type { Db, Tx } from '../schema.ts';
import { keepFact, readFact, removeFact, setFact } from './facts.ts';
import { write } from './transactions.ts';

/*
 * Processes that may have sent requests which the database lacks because it is a copy: a restored backup, or a replica
 * that took over, which a person has accepted as the ledger (`accept-copy.ts`). Each writing process leaves a mark in
 * the table `facts`, so the copy names those that wrote shortly before it was made. One that still runs records again
 * what it remembers (`recorded-lately.ts`) and then reports here. Until all have reported, or a person has compared the
 * copy with the jobs of the account, no batch can be resumed (`copy-doubts.ts`).
 */

/** Prefix of the facts with each process's mark: `NUMBER TIME`, its last commit and the server's time then, ms. */
export const MARK = 'commit:';
/** The fact that counts the processes that have ever begun to write. In a copy, those until it was made. */
export const WRITERS = 'writers';
/** Prefix of the facts about processes that have not reported: `NUMBER TIME` of their mark, then {@link WRITERS}. */
export const SENDER = 'copy:sender:';
/** The fact that there may be other such processes, which the copy does not name. Its value says why. */
export const UNSEEN = 'copy:unseen';

/**
 * Value of {@link UNSEEN} until a process reports whether others have begun since. All other values, and those of
 * earlier versions, mean that a person has to compare the copy with the jobs of the account.
 */
const UNTIL_REPORTED = 'until told';
/** Value of {@link UNSEEN}: a process is known to have begun after the copy was made. */
export const BEGUN_SINCE = 'begun since';
/** Value of {@link UNSEEN}: the copy has no marks, so nobody knows which processes wrote since it was made. */
const NOBODY_NAMED = 'nobody named';

/**
 * A process that last wrote longer than this before the copy's newest mark had ended by then, ms: workers write every
 * few seconds. And a process that last wrote longer than this before it connected to the copy cannot know who began in
 * between.
 */
export const LATELY_MS = 10 * 60_000;

/** Records the processes that wrote shortly before the copy was made, and that there may be others. */
export async function noteRecentSenders(tx: Tx): Promise<void> {
  const marks = await tx.selectFrom('facts').selectAll().where('name', 'like', `${MARK}%`).execute();
  const timed = marks.map(({ name, value }) => ({ name, value, at: Number(value.split(' ')[1] ?? 0) }));
  const last = Math.max(0, ...timed.map(({ at }) => at));
  const writers = (await readFact(tx, WRITERS)) ?? '0';
  for (const { name, value, at } of timed) {
    if (at >= last - LATELY_MS) await keepFact(tx, SENDER + name.slice(MARK.length), `${value} ${writers}`);
  }
  await keepFact(tx, UNSEEN, timed.length === 0 ? NOBODY_NAMED : UNTIL_REPORTED);
}

/** How many processes have not reported, according to the facts of a ledger. */
export interface PendingSenders {
  /** Named processes that have not reported. */
  readonly senders: number;
  /** Whether there may be others that nobody can name. False while a named one may still report about that. */
  readonly mayBeMore: boolean;
}

/** Reads {@link PendingSenders} from facts. */
export function pendingSenders(facts: readonly { readonly name: string; readonly value: string }[]): PendingSenders {
  const senders = facts.filter(({ name }) => name.startsWith(SENDER)).length;
  const unseen = facts.find(({ name }) => name === UNSEEN)?.value;
  return { senders, mayBeMore: unseen !== undefined && (unseen !== UNTIL_REPORTED || senders === 0) };
}

/** The report of a process that has recorded again what it remembers. */
export interface SenderReport {
  /** The name of its mark. */
  readonly mark: string;
  /**
   * Number of its last commit of which it has forgotten a request; 0 if none. If the copy lacks that commit, nobody
   * knows what was sent then.
   */
  readonly forgotten: number;
  /** {@link WRITERS} at its last commit to the former database; null if that was too long before it met the copy. */
  readonly writers: number | null;
}

/**
 * Records a process's report. It no longer counts as pending, unless the copy lacks a request that the process has
 * forgotten. Also records whether it knew of processes that the copy does not name.
 */
export async function confirmSender(db: Db, { mark, forgotten, writers }: SenderReport): Promise<void> {
  const name = SENDER + mark.slice(MARK.length);
  await write(db, async (tx) => {
    const noted = await readFact(tx, name);
    if (noted === undefined) return;
    const [number = 0, , writersOfCopy = 0] = noted.split(' ').map(Number);
    if (writers !== null && writers > writersOfCopy) await setFact(tx, UNSEEN, BEGUN_SINCE);
    else if (writers !== null && (await readFact(tx, UNSEEN)) === UNTIL_REPORTED) await removeFact(tx, UNSEEN);
    if (number >= forgotten) await removeFact(tx, name);
  });
}
