import { joinReads, splitAnswer, type Read } from './joint-reads.ts';
import { JointWrites, type LineWrite } from './joint-writes.ts';

/**
 * The work of one write transaction on a database that is reached over the network, where each statement that is waited
 * for costs a round trip.
 *
 * A group of writes begins by asking for all that its pieces will read, in one go (`prefetch`), and each piece then
 * finds its answers here. Statements that only write are kept until something else is sent, so that those of one kind
 * become one, and are not waited for: the server executes a connection's statements in order, and the commit says
 * whether all of them succeeded. So a group takes two round trips, however many rows it is about.
 *
 * An answer is only as good as the lines it came from. Each is kept under a *subject* (`row:b/5`, `sums:b`), and
 * whoever writes names the subjects that it changes; a write that names none makes all of them ask again.
 */
export class UnitOfWork {
  readonly #connection: UnitConnection;
  readonly #answers = new Map<string, Answers>();
  /** Reads that wait to be asked together, by statement. */
  #together: Map<string, WaitingRead[]> | undefined;
  readonly #writes = new JointWrites();

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
    const asked = this.#together === undefined ? this.#connection.ask(sql, values) : this.#askTogether(sql, values);
    // Nobody may come for it.
    asked.catch(() => undefined);
    answers.set(key, asked);
    return asked;
  }

  /** Calls `ask`; what it reads meanwhile is asked for together, in one statement for each kind. */
  together(ask: () => void): void {
    const waiting = (this.#together = new Map<string, WaitingRead[]>());
    try {
      ask();
    } finally {
      this.#together = undefined;
    }
    for (const reads of waiting.values()) this.#askJointly(reads);
  }

  #askTogether(sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    return new Promise((give, fail) => {
      const read = { sql, values, give, fail };
      const others = this.#together?.get(sql);
      if (others === undefined) this.#together?.set(sql, [read]);
      else others.push(read);
    });
  }

  #askJointly(reads: readonly WaitingRead[]): void {
    const [first, ...others] = reads;
    const joint = first === undefined || others.length === 0 ? undefined : joinReads([first, ...others]);
    if (joint === undefined) {
      for (const { sql, values, give, fail } of reads) this.#connection.ask(sql, values).then(give, fail);
      return;
    }
    this.#connection.ask(joint.sql, joint.values).then(
      (lines) => {
        const answers = splitAnswer(lines, reads.length);
        for (const [at, { give }] of reads.entries()) give(answers[at] ?? []);
      },
      (error: unknown) => {
        for (const { fail } of reads) fail(error);
      },
    );
  }

  /** Writes a line, which changes these subjects only, before anything else is sent. Does not wait. */
  write(subjects: readonly string[], line: LineWrite): void {
    for (const subject of subjects) this.forget(subject);
    this.#writes.add(line);
  }

  /** Sends what is written: to be called before anything else is sent. */
  sendWrites(): void {
    for (const { sql, values } of this.#writes.take()) this.#connection.send(sql, values);
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
}

/** Answers about one subject, by statement and values. */
type Answers = Map<string, Promise<readonly unknown[]>>;

interface WaitingRead extends Read {
  readonly give: (lines: readonly unknown[]) => void;
  readonly fail: (error: unknown) => void;
}

/** The connection of a write transaction. */
export interface UnitConnection {
  /** Sends a statement at once; resolves with its lines. */
  ask(sql: string, values: readonly unknown[]): Promise<readonly unknown[]>;
  /** Sends a statement at once; the commit fails if it does. */
  send(sql: string, values: readonly unknown[]): void;
}
