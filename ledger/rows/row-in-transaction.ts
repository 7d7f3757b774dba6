import type { AttemptKey, Move } from '../../contract/batch.ts';
import { linkOf, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import { byAttempt } from '../../contract/batch.ts';
import { wasAccepted } from '../../contract/outcomes.ts';
import { nextMove, presentTake, rowView, usedAttempt } from '../../policy/rows/row-machine.ts';
import { chargesOf, readLine, subjectsOfNewCharge, updateCharge, type RowKey } from './line-changes.ts';
import { allOf, prepared, preparedWrite } from '../database/prepared.ts';
import { type ChargeRecord, toCharge } from '../requests/charge-records.ts';
import { type RowSnapshot, toRow, toSpec } from './row-records.ts';
import { withSums, sumsOfCharge } from '../money/batch-sums.ts';
import { updateRow, type RowChange } from './update-row.ts';
import type { ChargeLine, RowLine, Tx } from '../schema.ts';
import { charges } from '../tables/charges.ts';
import type { Column } from '../tables/columns.ts';

/**
 * A row and its charges (attempts) inside a write transaction. Both are read once; each change is written to the tables
 * and applied here as well, so that later decisions and the returned snapshot need no further read.
 */
export class RowInTransaction {
  readonly tx: Tx;
  readonly #key: RowKey;
  #line: RowLine;
  #spec: RowSpec | undefined;
  #charges: readonly ChargeLine[];

  private constructor(tx: Tx, key: RowKey, line: RowLine, charges: readonly ChargeLine[]) {
    this.tx = tx;
    this.#key = key;
    this.#line = line;
    this.#charges = charges;
  }

  /** Reads a row. Throws {@link LedgerMisuse} if there is no such row. */
  static async load(tx: Tx, { batch, row }: RowKey): Promise<RowInTransaction> {
    const key = { batch, row };
    return new RowInTransaction(tx, key, await readLine(tx, key), (await selectCharges(tx, key)).toSorted(byAttempt));
  }

  /** Starts the reads of {@link load} in advance; for the `prefetch` of `write`. */
  static prefetch(tx: Tx, key: RowKey): readonly Promise<unknown>[] {
    return [readLine(tx, key), selectCharges(tx, key)];
  }

  get line(): RowLine {
    return this.#line;
  }

  /** What the row asks for. */
  get spec(): RowSpec {
    this.#spec ??= toSpec(this.#line);
    return this.#spec;
  }

  /** Whether a request of the row has no verdict yet. */
  get isOnTheWire(): boolean {
    return this.#charges.some(({ state }) => state === 'sending');
  }

  /** Whether a request of its current take was accepted, or an earlier result was reused in it. */
  get hasPaid(): boolean {
    const { take } = this.#line;
    return this.#charges.some((one) => one.take === take && (one.state === 'cached' || wasAccepted(one.state)));
  }

  /** Whether the row is at this take: requests of other takes do not change its state. */
  isAt(take: number): boolean {
    return presentTake({ take: this.#line.take, returnedTo: this.#line.returned_to }) === take;
  }

  /** The take that produced this step's input from an earlier step; null if it has no such input. */
  sourceOf(step: Step): number | null {
    const earlier = linkOf(this.#line.kind, step)?.of;
    if (earlier === undefined) return null;
    return usedAttempt({ acceptedTake: this.#line.accepted_take }, this.attempts, earlier)?.take ?? null;
  }

  /** What the row needs next. */
  get next(): Move {
    const { row, take, redo_from: redoFrom, returned_to: returnedTo, parts, outcome } = this.#line;
    const view = rowView({ row, spec: this.spec, take, redoFrom, returnedTo, parts });
    return nextMove({ ...view, ended: outcome !== null }, this.attempts);
  }

  /** Every attempt of the row. */
  get attempts(): readonly ChargeRecord[] {
    return this.#charges.map(toCharge);
  }

  /** Every attempt of the step, all takes, oldest first. */
  chargesOf(step: Step): readonly ChargeLine[] {
    return this.#charges.filter((charge) => charge.step === step);
  }

  /** The attempt with this key. */
  chargeAt({ step, take, attempt }: AttemptKey): ChargeLine | undefined {
    return this.#charges.find((one) => one.step === step && one.take === take && one.attempt === attempt);
  }

  /** Changes columns of the row, and the rows that depend on it; see `updateRow`. */
  async change(change: RowChange): Promise<void> {
    this.#line = { ...this.#line, ...(await updateRow(this.tx, this.#key, change, this.#line)) };
    this.#spec = undefined;
  }

  /** Changes columns of an attempt. Returns the changed attempt. */
  async changeCharge(charge: ChargeLine, change: Partial<ChargeLine>): Promise<ChargeLine> {
    const changed = { ...charge, ...change };
    const parts = () => [sumsOfCharge(charge), sumsOfCharge(changed)] as const;
    await withSums(this.tx, charge.batch, parts, () => updateCharge(this.tx, charge, change));
    this.#charges = this.#charges.map((one) => (one === charge ? changed : one));
    return changed;
  }

  /** Adds an attempt. Returns its line. */
  async addCharge(charge: NewCharge): Promise<ChargeLine> {
    const line: ChargeLine = { ...EMPTY, ...charge };
    await withSums(
      this.tx,
      line.batch,
      () => [{}, sumsOfCharge(line)],
      () => insertCharge(this.tx, line),
    );
    this.#charges = [...this.#charges, line].toSorted(byAttempt);
    return line;
  }

  /** Reads the row again, after it was changed by another function. */
  async readAgain(): Promise<void> {
    this.#line = await readLine(this.tx, this.#key);
    this.#spec = undefined;
    this.#charges = (await selectCharges(this.tx, this.#key)).toSorted(byAttempt);
  }

  /** The row and its charges as they are now. */
  snapshot(): RowSnapshot {
    return { row: toRow(this.#line), charges: this.attempts };
  }
}

/** The nullable columns of an attempt, all null. */
type Empty = { [Name in keyof ChargeLine as null extends ChargeLine[Name] ? Name : never]: null };

/** Default column values of a new attempt. */
const EMPTY = {
  ...(Object.fromEntries(
    Object.entries<Column>(charges.columns).flatMap(([name, { isNullable }]) => (isNullable ? [[name, null]] : [])),
  ) as Empty),
  damaged: 0,
} as const;

/** A new attempt, with at least the columns that have no default. */
export type NewCharge = Omit<ChargeLine, keyof typeof EMPTY> & Partial<ChargeLine>;

/** Reads every attempt of a row. */
export const selectCharges = prepared(chargesOf, ({ batch, row }) => `charges:${batch}/${row}`);

const insertCharge = preparedWrite(
  charges,
  (db, given: ChargeLine) => db.insertInto('charges').values(allOf(charges, given)),
  subjectsOfNewCharge,
);
