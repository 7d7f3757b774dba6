import { joinReads, splitAnswer, type Read } from './joint-reads.ts';
import { JointWrites, type LineWrite } from './joint-writes.ts';

/**
 * The reads and writes of one write transaction on a database server, where each statement that is waited for costs a
 * round trip.
 *
 * A group of writes begins by sending all reads of its pieces at once (`prefetch`); each piece then finds the answers
 * here. Writes are queued until another statement is sent, joined by kind, and not waited for: the server executes the
 * statements of a connection in order, and the commit reports whether all of them succeeded. So a group takes two round
 * trips, however many rows it is about.
 *
 * Answers are cached, each under a *subject* (`row:b/5`, `sums:b`). Each write names the subjects whose answers it
 * changes, which are then queried again; a statement that names none invalidates all of them.
 */
export class UnitOfWork {
  readonly #connection: UnitConnection;
  readonly #answers = new Map<string, Answers>();
  /** Reads of the current {@link collectReads}, by statement; undefined outside of it. */
  #collected: Map<string, WaitingRead[]> | undefined;
  readonly #writes = new JointWrites();

  /** Resolves once this transaction has the writers' lock. Rejects if the database may not be written to. */
  readonly begun: Promise<void>;

  constructor(connection: UnitConnection, begun: Promise<void>) {
    this.#connection = connection;
    this.begun = begun;
  }

  /** Returns the answer of a read about this subject; queries the database only once. */
  read(subject: string, sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    const answers = this.#answers.get(subject) ?? new Map<string, Promise<readonly unknown[]>>();
    this.#answers.set(subject, answers);
    // Several statements may read one subject, and with different values.
    const key = `${sql}\n${JSON.stringify(values)}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const asked = this.#collected === undefined ? this.#connection.query(sql, values) : this.#collect(sql, values);
    // A prefetched answer may never be used.
    asked.catch(() => undefined);
    answers.set(key, asked);
    return asked;
  }

  /** Calls `start`, and sends the reads that it starts together: one statement for each kind of read. */
  collectReads(start: () => void): void {
    const waiting = (this.#collected = new Map<string, WaitingRead[]>());
    try {
      start();
    } finally {
      this.#collected = undefined;
    }
    for (const reads of waiting.values()) this.#queryJointly(reads);
  }

  #collect(sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    return new Promise((give, fail) => {
      const read = { sql, values, give, fail };
      const others = this.#collected?.get(sql);
      if (others === undefined) this.#collected?.set(sql, [read]);
      else others.push(read);
    });
  }

  #queryJointly(reads: readonly WaitingRead[]): void {
    const [first, ...others] = reads;
    const joint = first === undefined || others.length === 0 ? undefined : joinReads([first, ...others]);
    if (joint === undefined) {
      for (const { sql, values, give, fail } of reads) this.#connection.query(sql, values).then(give, fail);
      return;
    }
    this.#connection.query(joint.sql, joint.values).then(
      (lines) => {
        const answers = splitAnswer(lines, reads.length);
        for (const [at, { give }] of reads.entries()) give(answers[at] ?? []);
      },
      (error: unknown) => {
        for (const { fail } of reads) fail(error);
      },
    );
  }

  /** Queues a write that changes answers about these subjects only. Does not wait. */
  write(subjects: readonly string[], line: LineWrite): void {
    for (const subject of subjects) this.forget(subject);
    this.#writes.add(line);
  }

  /** Sends the queued writes. The connection calls it before it sends any other statement. */
  sendWrites(): void {
    for (const { sql, values } of this.#writes.take()) this.#connection.send(sql, values);
  }

  /** Forgets the answers about this subject; if it ends with a colon, about all subjects that begin with it. */
  forget(subject: string): void {
    if (!subject.endsWith(':')) this.#answers.delete(subject);
    else for (const known of this.#answers.keys()) if (known.startsWith(subject)) this.#answers.delete(known);
  }

  /** The cached answers about this subject, for {@link keep}. */
  known(subject: string): Answers | undefined {
    return this.#answers.get(subject);
  }

  /** Caches again the answers about a subject from before a write, updated by `change` instead of queried again. */
  keep(subject: string, known: Answers | undefined, change: (lines: readonly unknown[]) => readonly unknown[]): void {
    if (known === undefined) return;
    const changed = [...known].map(([key, lines]) => {
      const next = lines.then(change);
      next.catch(() => undefined);
      return [key, next] as const;
    });
    this.#answers.set(subject, new Map(changed));
  }

  /** Forgets all answers. */
  forgetAll(): void {
    this.#answers.clear();
  }
}

/** Cached answers about one subject, by statement and values. */
type Answers = Map<string, Promise<readonly unknown[]>>;

interface WaitingRead extends Read {
  readonly give: (lines: readonly unknown[]) => void;
  readonly fail: (error: unknown) => void;
}

/** The connection of a write transaction. */
export interface UnitConnection {
  /** Sends a statement at once; resolves with its lines. */
  query(sql: string, values: readonly unknown[]): Promise<readonly unknown[]>;
  /** Sends a statement at once; the commit fails if it does. */
  send(sql: string, values: readonly unknown[]): void;
}
