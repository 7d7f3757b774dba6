/**
 * The work of one write transaction on a database that is reached over the network, where each statement that is waited
 * for costs a round trip.
 *
 * A group of writes begins by asking for all that its pieces will read, in one go (`prefetch`), and each piece then finds
 * its answers here. Statements that only write are sent and not waited for: the server executes a connection's
 * statements in order, and the commit says whether all of them succeeded. So a group takes two round trips, however many
 * rows it is about.
 *
 * An answer is only as good as the lines it came from. Each is kept under a *subject* (`row:b/5`, `sums:b`), and whoever
 * writes names the subjects that it changes; a write that names none makes all of them ask again.
 */
export class UnitOfWork {
  readonly #connection: UnitConnection;
  readonly #answers = new Map<string, Answers>();

  /** Resolves once the writers before it are done. Rejects if nothing may be written. */
  readonly begun: Promise<void>;

  constructor(connection: UnitConnection, begun: Promise<void>) {
    this.#connection = connection;
    this.begun = begun;
  }

  /** The answer about this subject; asked for once. */
  read(subject: string, sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    const answers = this.#answers.get(subject) ?? new Map<string, Promise<readonly unknown[]>>();
    this.#answers.set(subject, answers);
    // One subject may be asked about by several statements, and with other values.
    const key = `${sql}\n${JSON.stringify(values)}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const asked = this.#connection.ask(sql, values);
    // Nobody may come for it.
    asked.catch(() => undefined);
    answers.set(key, asked);
    return asked;
  }

  /** Sends a statement that changes these subjects only, and does not wait. */
  write(subjects: readonly string[], sql: string, values: readonly unknown[]): void {
    for (const subject of subjects) this.forget(subject);
    this.#connection.send(sql, values);
  }

  /** Asks again about this subject, or about all that begin with it if it ends with a colon. */
  forget(subject: string): void {
    if (!subject.endsWith(':')) this.#answers.delete(subject);
    else for (const known of this.#answers.keys()) if (known.startsWith(subject)) this.#answers.delete(known);
  }

  /** What is known about this subject, for {@link keep}. */
  known(subject: string): Answers | undefined {
    return this.#answers.get(subject);
  }

  /** Keeps what was known about this subject before a change, as the change leaves it. */
  keep(subject: string, known: Answers | undefined, change: (lines: readonly unknown[]) => readonly unknown[]): void {
    if (known === undefined) return;
    const changed = [...known].map(([key, lines]) => {
      const next = lines.then(change);
      next.catch(() => undefined);
      return [key, next] as const;
    });
    this.#answers.set(subject, new Map(changed));
  }

  /** Asks again about everything. */
  forgetAll(): void {
    this.#answers.clear();
  }

  /**
   * Waits for all that was sent. Throws if a statement that nobody waited for has failed: the whole transaction must then
   * fail with it, for its piece may have been answered already.
   */
  settled(): Promise<void> {
    return this.#connection.settled();
  }
}

/** Answers about one subject, by statement and values. */
type Answers = Map<string, Promise<readonly unknown[]>>;

/** The connection of a write transaction. */
export interface UnitConnection {
  /** Sends a statement at once; resolves with its lines. */
  ask(sql: string, values: readonly unknown[]): Promise<readonly unknown[]>;
  /** Sends a statement at once; the commit fails if it does. */
  send(sql: string, values: readonly unknown[]): void;
  /** Waits for all that was sent. Throws the error of the first that failed. */
  settled(): Promise<void>;
}
