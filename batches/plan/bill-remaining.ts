import { CAST_COLUMN } from '../../contract/cast.ts';
import { defined } from '../../contract/defined.ts';
import { roundCredits, sumOfPrices } from '../../contract/price-units.ts';
import { stepsIn, type Step } from '../../contract/row-kinds.ts';
import { CastVoices } from '../../inputs/cast/cast-voices.ts';
import { headerFor } from '../../inputs/header-names.ts';
import type { BillSummary } from '../../inputs/money/bill.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChargeOutlook } from '../../ledger/money/charge-ratios.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { nextMove, rowView, stepsFrom } from '../../policy/rows/row-machine.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import { reopensWith } from '../../policy/voices/awaited-voice.ts';
import { billLines } from './bill-lines.ts';
import type { LeftOutSelection } from './select-left-out.ts';
import { measurePrices } from './measure-prices.ts';
import { RowBiller, type RowBillerOptions, type RowToSend } from './row-biller.ts';
import { addPrice, countedAs, quoteOf, skippedRows, type SkippedRow } from './skipped-rows.ts';

/** What an existing batch still has to pay for. */
export interface RemainingBill {
  /** Rows that need at least one more result. */
  readonly rows: number;
  /** The part of these rows that earlier runs left out (`--limit`, `--sample`, `--budget`) and that this run sends. */
  readonly more: NewlyChosen;
  /** Open rows that only need an answer or a download. */
  readonly underWay: number;
  /**
   * The bill at quoted prices, less what earlier results save. If rows were left out, it is at the prices that the API
   * charged for the rows before, where it reported any.
   */
  readonly bill: BillSummary;
  /** Why these rows are paid for. */
  readonly reasons: RowReasons;
  /** Further chosen rows that stay left out, because the budget is too small for any of them. */
  readonly overBudget: {
    readonly rows: number;
    /** Credits; null if the price of one of them is unknown. */
    readonly quoted: number | null;
  };
  /**
   * Credits that the budget must have left to cover all of these rows, including `overBudget`, based on charges so far;
   * null if a price is unknown.
   */
  readonly needed: number | null;
}

/** The cost of rows that earlier runs left out and this run sends. */
export interface NewlyChosen {
  readonly rows: number;
  /**
   * Further rows, which failed in earlier runs for want of a voice, and which resume with newly sent rows that make it.
   * They are in the bill.
   */
  readonly dependents: number;
  /** Priced like {@link RemainingBill.bill}. */
  readonly bill: BillSummary;
  /** The bill's sum at quoted prices, in credits. */
  readonly quoted: number;
  /** Part of the bill is estimated. */
  readonly isEstimate: boolean;
}

/**
 * Bills what a batch still has to pay for: unsent steps of open rows, newly chosen rows with those that wait for their
 * voices, and rows that the budget now has room for. Changes nothing and spends nothing.
 */
export async function billRemaining(
  ledger: Ledger,
  batch: BatchRecord,
  { isChosen, room, isAny }: LeftOutSelection,
  request: RowBillerOptions,
): Promise<RemainingBill> {
  // Measuring reads all rows that were run. It is not worth that for open rows alone, billed when they were chosen.
  const biller = new RowBiller({ ...request, ...(isAny && { measured: await measurePrices(ledger, batch) }) });
  const left = new RemainingRows(ledger, batch, room.outlook, biller);
  for await (const snapshot of ledger.scanRows(batch.name, { isOpen: true })) await left.addOpen(snapshot);
  for await (const snapshot of ledger.scanRows(batch.name, { isNotChosen: true }))
    if (isChosen(snapshot.row)) await left.addChosen(snapshot, stepsIn(snapshot.row.spec));
  for await (const skipped of skippedRows(ledger, batch, room))
    if (skipped.hasRoom) await left.addChosen(skipped.snapshot, unsentSteps(skipped.snapshot));
    else left.leaveOut(skipped);
  if (left.makesVoices)
    for await (const snapshot of ledger.scanRows(batch.name, { outcome: 'failed', inParts: true }))
      await left.addDependent(snapshot);
  return left.finish();
}

/**
 * How a row is counted: in the second bill, too (`isMore`); as another part of the same row as the part before
 * (`ofLastRow`).
 */
type Marks = Pick<RowToSend, 'isMore' | 'ofLastRow'>;
const MORE: Marks = { isMore: true };

/**
 * Adds up the rows that a batch still has to pay for, each once. `outlook`: what requests may cost, based on charges so
 * far; with it the budget that they need is computed.
 */
class RemainingRows {
  readonly #ledger: Pick<Ledger, 'partsOf'>;
  readonly #batch: BatchRecord;
  readonly #outlook: ChargeOutlook;
  readonly #biller: RowBiller;
  /** Names the speaker of the cast that gave a row its voice. */
  readonly #speakerOf: ReturnType<typeof speakersIn>;
  /** Numbers of the newly chosen rows that make voices. */
  readonly #makers = new Set<number>();
  /** The row whose part was the last one that {@link addDependent} added; null if that was no part. */
  #lastWhole: number | null = null;
  #rows = 0;
  #newlyChosen = 0;
  #dependents = 0;
  #underWay = 0;
  #overBudget: RemainingBill['overBudget'] = { rows: 0, quoted: 0 };
  /** Credits that the budget must have left beyond the bill; null if a price is unknown. */
  #beyond: number | null;

  constructor(ledger: Pick<Ledger, 'partsOf'>, batch: BatchRecord, outlook: ChargeOutlook, biller: RowBiller) {
    this.#ledger = ledger;
    this.#batch = batch;
    this.#outlook = outlook;
    this.#biller = biller;
    this.#speakerOf = speakersIn(batch);
    this.#beyond = outlook.beyondLost;
  }

  /** True if a newly chosen row makes a voice, for which other rows may wait. */
  get makesVoices(): boolean {
    return this.#makers.size > 0;
  }

  /** Adds the unsent steps of an open row. */
  async addOpen(snapshot: RowSnapshot): Promise<void> {
    const isOpen = (part: RowSnapshot): boolean => part.row.outcome === null && unsentSteps(part).length > 0;
    const steps = unsentSteps(snapshot);
    if (snapshot.row.parts !== null) {
      if (!(await this.#addParts(snapshot, isOpen))) this.#underWay++;
    } else if (steps.length === 0) this.#underWay++;
    else await this.#add(snapshot, steps);
  }

  /** Adds a row that earlier runs left out and this one sends. */
  async addChosen(snapshot: RowSnapshot, steps: readonly Step[]): Promise<void> {
    this.#newlyChosen++;
    if (snapshot.row.kind === 'voice') this.#makers.add(snapshot.row.row);
    if (snapshot.row.parts === null) await this.#add(snapshot, steps, MORE);
    // Parts that are not skipped have their job: a person may have given it to them.
    else await this.#addParts(snapshot, ({ row }) => row.outcome === 'skipped', MORE);
  }

  /** Adds a row, or a part of one, that failed for want of a voice, if that voice is made now. */
  async addDependent(snapshot: RowSnapshot): Promise<void> {
    if (!reopensWith(snapshot.row, this.#makers)) return;
    const { partOf, spec } = snapshot.row;
    const ofLastRow = partOf !== null && partOf === this.#lastWhole;
    this.#lastWhole = partOf;
    if (!ofLastRow) this.#dependents++;
    await this.#add(snapshot, stepsIn(spec), { ...MORE, ofLastRow });
  }

  /** Counts a row that stays left out, because the budget is too small for it. */
  leaveOut({ quoted, counted }: SkippedRow): void {
    const { rows, quoted: before } = this.#overBudget;
    this.#overBudget = { rows: rows + 1, quoted: sumOfPrices([before, quoted]) };
    this.#beyond = addPrice(this.#beyond, counted);
  }

  /** Returns the bill. Call it once all rows are added. */
  async finish(): Promise<RemainingBill> {
    await this.#biller.finish();
    const { quotes, more, bill, groups } = this.#biller;
    const moreBill = more.summary();
    return {
      rows: this.#rows,
      more: {
        rows: this.#newlyChosen,
        dependents: this.#dependents,
        bill: moreBill,
        quoted: roundCredits(quotes.more),
        isEstimate: billLines(moreBill, this.#batch.settings).total.isEstimate,
      },
      underWay: this.#underWay,
      bill: bill.summary(),
      reasons: groups.result(),
      overBudget: this.#overBudget,
      needed: sumOfPrices([this.#beyond, quotes.all]),
    };
  }

  async #add(snapshot: RowSnapshot, steps: readonly Step[], marks: Marks = {}): Promise<void> {
    const row = { ...withoutParts(snapshot), ...this.#speakerOf(snapshot.row) };
    const quoted = quoteOf(row, steps, this.#batch.settings);
    if (marks.ofLastRow !== true) this.#rows++;
    this.#addSurplus(snapshot, [quoted]);
    await this.#biller.add({ ...row, quoted, isAssumed: false, steps, ...marks });
  }

  /** Adds a row for those of its parts that are left. Returns false if none is. */
  async #addParts(snapshot: RowSnapshot, isLeft: (part: RowSnapshot) => boolean, marks: Marks = {}): Promise<boolean> {
    const row = { ...withoutParts(snapshot), ...this.#speakerOf(snapshot.row) };
    const parts = (await this.#ledger.partsOf(this.#batch.name, row.row)).filter(isLeft).map((part) => part.row);
    if (parts.length === 0) return false;
    this.#rows++;
    this.#addSurplus(
      snapshot,
      parts.map(({ quoted }) => quoted),
    );
    await this.#biller.add({ ...row, isAssumed: false, steps: stepsIn(row.spec), parts, ...marks });
    return true;
  }

  /** Adds what the ledger will reserve for a row beyond these quotes. */
  #addSurplus(snapshot: RowSnapshot, quotes: readonly (number | null)[]): void {
    const quoted = sumOfPrices(quotes);
    const counted = countedAs(snapshot, quotes, this.#batch.settings, this.#outlook);
    this.#beyond = addPrice(this.#beyond, counted === null || quoted === null ? null : counted - quoted);
  }
}

/** Returns a row that was left out entirely, to be sent with all its parts. */
export async function wholeToSend(
  ledger: Pick<Ledger, 'partsOf'>,
  batch: string,
  snapshot: RowSnapshot,
): Promise<RowToSend> {
  const { row } = snapshot;
  const steps = stepsIn(row.spec);
  const parts = row.parts === null ? {} : { parts: (await ledger.partsOf(batch, row.row)).map((part) => part.row) };
  return { ...withoutParts(snapshot), isAssumed: false, steps, ...parts };
}

/** Returns a function that names the cast's speaker that gave a row of this batch its voice; empty if none did. */
function speakersIn({
  columns,
  settings: { reading },
}: BatchRecord): (row: RowSnapshot['row']) => { speaker?: string } {
  if (reading.cast === undefined) return () => ({});
  const cast = new CastVoices(reading.cast);
  const [speakerAt, voiceAt] = [CAST_COLUMN, 'voice'].map((ours) => columns.indexOf(headerFor(ours, columns, reading)));
  const cellOf = (input: readonly string[], at = -1): string => input[at]?.trim() ?? '';
  return ({ input, spec }) => {
    const name = cellOf(input, voiceAt) === '' && spec.voice !== undefined ? cellOf(input, speakerAt) : '';
    return defined({ speaker: name === '' ? undefined : cast.valuesOf(name)?.name });
  };
}

function withoutParts({ row: { parts: _, ...row } }: RowSnapshot): Omit<RowSnapshot['row'], 'parts'> {
  return row;
}

/** Returns the steps that a row has not sent in its present take; none for a split row, whose parts are sent. */
function unsentSteps({ row, charges }: RowSnapshot): readonly Step[] {
  const move = nextMove({ ...rowView(row), ended: false }, charges);
  if (move.type === 'ended') return [];
  const steps = stepsFrom(row.spec, move.at.step);
  return move.type === 'submit' ? steps : steps.slice(1);
}
