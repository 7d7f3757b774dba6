import type { Db, Tx } from '../schema.ts';
import { keepFact, readFact, removeFact, setFact } from './facts.ts';
import { write } from './transactions.ts';

/**
 * Prefix of the facts in which each process leaves a mark of its commits: the number of the last one, and the server's
 * time.
 */
export const MARK = 'commit:';
/** The fact that counts the processes that have ever begun to write. A copy has that of its moment. */
export const WRITERS = 'writers';
/** Prefix of the facts that name processes that have not come back: their mark in the copy, and its {@link WRITERS}. */
export const SENDER = 'copy:sender:';
/** The fact that there may be processes that the copy does not name. */
export const UNSEEN = 'copy:unseen';

/**
 * Values of {@link UNSEEN}, and what versions before have written, are that a person has to compare; but for this one:
 */
const UNTIL_TOLD = 'until told';
/** A process is known to have begun after the copy was made. */
export const BEGUN_SINCE = 'begun since';
/** The copy was made while nobody worked, or is of a file: whoever did since is unknown. */
const NOBODY_NAMED = 'nobody named';

/**
 * A process that wrote so much earlier than the copy's last record had ended before, ms: workers write every few
 * seconds. And one that wrote so much earlier than it met the copy does not know who else has begun in between.
 */
export const LATELY_MS = 10 * 60_000;

/** Notes the processes that wrote lately to what the copy was made of, and that there may be others. */
export async function awaitSenders(tx: Tx): Promise<void> {
  const marks = await tx.selectFrom('facts').selectAll().where('name', 'like', `${MARK}%`).execute();
  const timed = marks.map(({ name, value }) => ({ name, value, at: Number(value.split(' ')[1] ?? 0) }));
  const last = Math.max(0, ...timed.map(({ at }) => at));
  const writers = (await readFact(tx, WRITERS)) ?? '0';
  for (const { name, value, at } of timed) {
    if (at >= last - LATELY_MS) await keepFact(tx, SENDER + name.slice(MARK.length), `${value} ${writers}`);
  }
  await keepFact(tx, UNSEEN, timed.length === 0 ? NOBODY_NAMED : UNTIL_TOLD);
}

/** Who is waited for, by the facts of a ledger. */
export interface Awaited {
  /** Processes that have not come back. */
  readonly senders: number;
  /**
   * Whether there may be others that nobody can name. As long as somebody is waited for who could tell, nobody says so.
   */
  readonly isUnseen: boolean;
}

export function awaitedIn(facts: readonly { readonly name: string; readonly value: string }[]): Awaited {
  const senders = facts.filter(({ name }) => name.startsWith(SENDER)).length;
  const unseen = facts.find(({ name }) => name === UNSEEN)?.value;
  return { senders, isUnseen: unseen !== undefined && (unseen !== UNTIL_TOLD || senders === 0) };
}

/** What a process says that has recorded again what it remembers. */
export interface Return {
  /** The name of its mark. */
  readonly mark: string;
  /**
   * The number of the last commit of which it does not remember all. If the copy lacks that one, what was sent then is
   * known to nobody.
   */
  readonly forgotten: number;
  /** {@link WRITERS} at its last commit before; null if that was too long before it met the copy to say anything. */
  readonly writers: number | null;
}

/**
 * It is waited for no more, unless it has forgotten too much. Says whether it knew of processes that the copy cannot
 * name.
 */
export async function cameBack(db: Db, { mark, forgotten, writers }: Return): Promise<void> {
  const name = SENDER + mark.slice(MARK.length);
  await write(db, async (tx) => {
    const noted = await readFact(tx, name);
    if (noted === undefined) return;
    const [number = 0, , writersOfCopy = 0] = noted.split(' ').map(Number);
    if (writers !== null && writers > writersOfCopy) await setFact(tx, UNSEEN, BEGUN_SINCE);
    else if (writers !== null && (await readFact(tx, UNSEEN)) === UNTIL_TOLD) await removeFact(tx, UNSEEN);
    if (number >= forgotten) await removeFact(tx, name);
  });
}
