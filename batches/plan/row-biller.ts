import type { Account } from '../../contract/names.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import { reusesResults } from '../../contract/cache-modes.ts';
import { roundCredits, sumOfPrices } from '../../contract/price-units.ts';
import { operationOf, resultStepOf, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import { Bill, billEntry, type BilledRow } from '../../inputs/money/bill.ts';
import { SeenTable } from '../../inputs/seen-table.ts';
import type { LastRow } from '../../ledger/rows/last-rows.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PriceTally } from '../../policy/money/compare-prices.ts';
import { ReasonGroups, type ReasonedRow, type RowReason, stepsToPay } from '../../policy/plan/reason-groups.ts';
import { changesBetween, contentChanges } from '../../policy/plan/row-changes.ts';
import { quoteSteps } from '../../policy/money/pricing.ts';
import type { IdentifyMedia } from '../cache/media-identities.ts';
import { keysOfRows } from '../cache/result-keys.ts';

/** The records that rows are compared with, and the batch they would belong to. */
export interface RowBillerOptions {
  /** Undefined if there is nothing to compare with. */
  readonly ledger: Ledger | undefined;
  readonly account: Account;
  readonly settings: Pick<BatchSettings, 'tts' | 'prices' | 'cache'>;
  /** Identifies the media behind links, as far as their servers allow. */
  readonly identify: IdentifyMedia;
  /** Credits left of the budget; null without one. */
  readonly budget: number | null;
  /**
   * What the batch was charged so far: rows are billed at these prices, and the requests that they will send are added
   * to the tally. Default: rows are billed at their quotes.
   */
  readonly measured?: PriceTally;
}

/** A row to send, and the steps that it still needs. */
export interface RowToSend extends BilledRow {
  readonly steps: readonly Step[];
  /** True if earlier runs left the row out; it is then in the second bill (`more`), too. Default false. */
  readonly isMore?: boolean;
}

/** Rows looked up together, which bounds the memory they take. */
const ROWS_AT_ONCE = 100;

const CACHED: RowReason = { type: 'cached' };
const EQUAL: RowReason = { type: 'equal' };

/**
 * Bills rows net of existing results, and groups them by why they are paid for. Accepts rows one at a time and looks
 * them up in chunks. Changes nothing and spends nothing.
 */
export class RowBiller {
  readonly bill: Bill;
  /** The bill of the rows that earlier runs left out. */
  readonly more: Bill;
  /** The sums of both bills at quoted prices, in credits. */
  readonly quotes = { all: 0, more: 0 };
  readonly groups = new ReasonGroups();
  readonly #request: RowBillerOptions;
  /** Cache keys of results that earlier rows of this bill pay for. */
  readonly #paidFor = new SeenTable();
  /** Rows added since the last look-up. */
  #added: RowToSend[] = [];

  constructor(request: RowBillerOptions) {
    this.#request = request;
    this.bill = new Bill(request.budget);
    this.more = new Bill(request.budget);
  }

  /** Adds the next row. If this returns a promise, a chunk is being looked up: await it. */
  add(row: RowToSend): Promise<void> | undefined {
    this.#added.push(row);
    return this.#added.length === ROWS_AT_ONCE ? this.finish() : undefined;
  }

  /** Looks up the remaining rows. */
  async finish(): Promise<void> {
    const rows = this.#added;
    this.#added = [];
    const { ledger, account } = this.#request;
    const units = new Map(rows.map((row) => [row, unitsOf(row)]));
    const keys = await this.#keysOf([...units.values()].flat());
    const there = new Set(await ledger?.keysWithResult([...keys.all]));
    const billed = rows.map((row) => this.#bill(row, units.get(row) ?? [row], keys.of, there));
    // Only rows without a reason are compared with the last row of their id.
    const ids = billed.flatMap(({ row, reason }) => (reason === undefined ? [row.id] : []));
    const found = ids.length === 0 ? [] : await ledger?.lastRows(account, ids);
    const last = new Map(found?.map((one) => [one.id, one]));
    for (const { row, reason, ...sums } of billed) {
      const keyOf = keys.of(units.get(row)?.[0] ?? row);
      const why = reason ?? reasonOf(row, keyOf, last.get(row.id), this.#request.settings.tts);
      this.groups.add({ id: row.id, reason: why, ...sums });
    }
  }

  /**
   * Bills a row for its units: its parts, or the row itself. The reason is undefined if the row must be compared with
   * the last row of its id. `there`: keys whose results are stored.
   */
  #bill(
    row: RowToSend,
    units: readonly RowToSend[],
    keysOf: (unit: RowToSend) => KeyOf,
    there: ReadonlySet<string>,
  ): BilledReason {
    const all = units.map((unit) => this.#billUnit(unit, keysOf(unit), there));
    const quoted = sumOfPrices(all.map((unit) => unit.quoted));
    const saved = roundCredits(all.reduce((sum, unit) => sum + unit.saved, 0));
    const requests = all.reduce((sum, unit) => sum + unit.requests, 0);
    const byQuotes = all.reduce((sum, unit) => sum + (unit.byQuote ?? 0), 0);
    const entry = { ...billEntry(row), quoted, requests };
    this.bill.addEntry(entry);
    this.quotes.all += byQuotes;
    if (row.isMore === true) {
      this.more.addEntry(entry);
      this.quotes.more += byQuotes;
    }
    return { row, reason: commonReason(all.map((unit) => unit.reason)), quoted, saved };
  }

  /** Returns the cost of a row or part, net of existing results. */
  #billUnit(row: RowToSend, keyOf: KeyOf, there: ReadonlySet<string>): BilledUnit {
    const { settings } = this.#request;
    const { steps, spec } = row;
    const isKept = (step: Step): boolean => there.has(keyOf(step) ?? '');
    const isPaidFor = (step: Step): boolean => this.#paidFor.get(keyOf(step) ?? '') !== undefined;
    const isCached = stepsToPay(steps, isKept).length === 0;
    const toPay = stepsToPay(steps, (step) => isKept(step) || isPaidFor(step));
    for (const step of toPay) {
      const key = keyOf(step);
      if (key !== undefined) this.#paidFor.set(key, 1);
    }
    // Steps that may not be paid for end `skipped` and save nothing.
    const paid = settings.cache === 'only' ? [] : toPay;
    const byQuote = paid.length === steps.length ? row.quoted : quoteSteps(paid, spec, settings);
    const isSaved = paid.length === toPay.length;
    const saved = isSaved ? roundCredits((row.quoted ?? 0) - (byQuote ?? 0)) : 0;
    const free = isCached ? CACHED : EQUAL;
    const surcharge = this.#surcharge(spec, paid);
    // Without a quote the ledger cannot reserve credits for the row, so its price stays unknown.
    const quoted = byQuote === null ? null : roundCredits(byQuote + surcharge);
    return { reason: toPay.length === 0 ? free : undefined, quoted, byQuote, saved, requests: paid.length };
  }

  /**
   * Returns what these steps cost beyond their quotes at the measured prices, in credits; negative if they cost less.
   */
  #surcharge(spec: RowSpec, steps: readonly Step[]): number {
    const { measured, settings } = this.#request;
    if (measured === undefined) return 0;
    let sum = 0;
    for (const step of steps) {
      const operation = operationOf(spec, step, settings.tts);
      const quoted = quoteSteps([step], spec, settings);
      sum += (measured.expect(operation, quoted) ?? 0) - (quoted ?? 0);
      measured.addOpen(operation, quoted);
    }
    return sum;
  }

  /** Returns the cache keys of rows' steps. There are none if the batch uses no earlier results. */
  async #keysOf(rows: readonly RowToSend[]): Promise<{ all: Set<string>; of: (row: RowToSend) => KeyOf }> {
    const { settings, account, identify, ledger } = this.#request;
    const findResults: Ledger['findResults'] = async (wanted) => (await ledger?.findResults(wanted)) ?? [];
    if (!reusesResults(settings.cache)) return { all: new Set(), of: () => () => undefined };
    const keys = await keysOfRows({ ...account, settings }, rows, { identify, findResults });
    const all = new Set([...keys.values()].flatMap((own) => [...own.values()]));
    return { all, of: (row) => (step) => keys.get(row)?.get(step) };
  }
}

/** A billed row, and why it is paid for or not, if that is known yet. */
interface BilledReason extends Pick<ReasonedRow, 'quoted' | 'saved'> {
  readonly row: RowToSend;
  readonly reason: RowReason | undefined;
}

/** A billed row without parts, or a billed part. */
interface BilledUnit extends Omit<BilledReason, 'row'> {
  /** The price of its unpaid steps at quoted prices; null if unknown. */
  readonly byQuote: number | null;
  readonly requests: number;
}

/** Returns why a row costs nothing, by its units; undefined if one of them must be paid for. */
function commonReason(reasons: readonly (RowReason | undefined)[]): RowReason | undefined {
  if (reasons.every((reason) => reason === CACHED)) return CACHED;
  return reasons.includes(undefined) ? undefined : EQUAL;
}

/** Returns what is sent for a row: its parts, or the row itself. */
function unitsOf(row: RowToSend): readonly RowToSend[] {
  if (row.parts === undefined) return [row];
  const { parts, ...whole } = row;
  return parts.map((part) => ({ ...whole, ...part }));
}

/** Returns the cache key of a step's result; undefined if it has none. */
type KeyOf = (step: Step) => string | undefined;

/** Returns why a row is paid for, compared with the last row of its id. */
function reasonOf({ spec }: RowToSend, keyOf: KeyOf, last: LastRow | undefined, tts: BatchSettings['tts']): RowReason {
  if (last === undefined) return { type: 'new' };
  const { batch, outcome, key, isUncached } = last;
  const now = keyOf(resultStepOf(spec));
  // With the same links, another key means that the media behind them have changed.
  const isOther = key !== null && now !== undefined && key !== now;
  const asked = changesBetween({ ...last, spec: withSameThreshold(last.spec, spec) }, { spec, tts });
  const changes = asked.length === 0 && isOther ? contentChanges(spec) : asked;
  if (changes.length > 0) return { type: 'changed', batch, changes };
  return { type: 'again', batch, ended: outcome, ...(isUncached && { isUncached }) };
}

/** Returns a row's earlier input with the current `verify` threshold, because comparing a transcript anew is free. */
function withSameThreshold(before: RowSpec, { verify }: RowSpec): RowSpec {
  return verify === undefined || before.verify === undefined ? before : { ...before, verify };
}
