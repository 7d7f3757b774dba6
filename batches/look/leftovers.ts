import type { FailureClass } from '../../contract/failures.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import {
  checkedBy,
  isTraceable,
  makesJob,
  factsOf,
  operationOf,
  type Operation,
  type TtsMode,
} from '../../contract/row-kinds.ts';
import { isTooLongWhole } from '../../contract/text-limits.ts';
import type { RowWithCharges } from '../../results/result-line.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type {
  BatchRecord,
  Counts,
  EarlierUnresolved,
  RowRecord,
  RowStanding,
  SkippedQuotes,
} from '../../ledger/record-types.ts';
import { neededForSkipped } from '../plan/skipped-rows.ts';
import { isFetchedFree } from '../../policy/redrive/redrive.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { nameOf, type NamedRow } from '../../contract/row-parts.ts';
import { matchingParts, isUnknown, selectUnknown } from '../rows/find-rows.ts';

/** What a request makes at the API; nothing, where the answer is the result itself. */
export type Made = 'job' | 'voice' | 'nothing';

/** A row whose answer was lost. */
export interface LostRow extends NamedRow {
  /** What its request makes, which a person may name. Default: a job. */
  readonly makes?: Made;
}

/** Some rows: their number, and the first of them, so that commands can name them. */
export interface SomeRows {
  readonly count: number;
  /** How many of them are parts of rows, each of which counts. Default 0. */
  readonly parts?: number;
  readonly first: readonly LostRow[];
}

/** Rows of a batch without a result, by what can be done about them. */
export interface Leftovers {
  /** Failed rows by class, without those of the next four; `OutcomeUnknown` counts as lost. */
  readonly failed: ReadonlyMap<FailureClass | '', SomeRows>;
  /** Rows whose text, or a part of it, is longer than the API takes: it needs no edit, but to be cut. */
  readonly tooLong: SomeRows;
  /** Rows in parts of which the API refused one: its text cannot be edited in their batch. */
  readonly refusedInParts: SomeRows;
  /** Failed rows whose result was paid for, and which a redrive fetches again, free. */
  readonly fetchable: SomeRows;
  /** Rows whose voice other rows did not make: they go on by themselves with those. `makers`: these rows, the first. */
  readonly voiceless: { readonly count: number; readonly makers: readonly number[] };
  /**
   * Rows, and parts in the stead of their rows, whose answers were lost: `listed` if the API has a list of such jobs,
   * `unchecked` if only the answer of a verification was, otherwise `unlisted`.
   */
  readonly lost: { readonly listed: SomeRows; readonly unlisted: SomeRows; readonly unchecked: SomeRows };
  /** Parts without a result that are neither lost nor overdue, and that the outcome of their row does not mean. */
  readonly otherParts: SomeRows;
  /** How many parts of rows in doubt have a job that still runs. */
  readonly lateParts: number;
  /** What the skipped rows would cost; of those over the budget: what that needs for them, by what was charged so far. */
  readonly skippedQuotes: SkippedQuotes;
  /** Requests of replaced takes that may have been charged. */
  readonly earlierUnresolved: EarlierUnresolved;
}

/** Rows of a sort that are named. */
const NAMED = 25;

class Pile implements SomeRows {
  readonly first: LostRow[] = [];
  count = 0;
  parts = 0;

  add({ row }: RowStanding, facts: Pick<LostRow, 'makes'> = {}): void {
    this.count++;
    if (row.partOf !== null) this.parts++;
    if (this.first.length < NAMED) this.first.push({ ...nameOf(row), ...facts });
  }
}

/** Sorts the rows of a batch without a result. Reads only outcomes that the batch has. */
export async function gatherLeftovers(
  ledger: Ledger,
  { name: batch, settings }: Pick<BatchRecord, 'name' | 'settings'>,
  { outcomes, notChosen }: Counts,
): Promise<Leftovers> {
  const rowsOf = async function* (outcome: Outcome): AsyncGenerator<RowStanding, void, undefined> {
    if (outcomes[outcome] > 0) yield* ledger.scanRows(batch, { outcome });
  };
  const mayBeLost = outcomes.unknown + outcomes.failed > 0;
  const otherParts = new Pile();
  let lateParts = 0;
  for (const outcome of ['unknown', 'overdue'] as const)
    for await (const whole of rowsOf(outcome)) lateParts += await addOtherParts(otherParts, whole, ledger, batch);
  return {
    ...(await sortFailed(rowsOf('failed'), ledger, batch, otherParts)),
    lost: await sortLost(mayBeLost ? selectUnknown(ledger, batch) : [], settings.tts),
    otherParts,
    lateParts,
    skippedQuotes: await quoteSkipped(ledger, { name: batch, settings }, outcomes.skipped > notChosen),
    earlierUnresolved: await ledger.earlierUnresolved(batch, NAMED),
  };
}

async function quoteSkipped(
  ledger: Ledger,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  isOverBudget: boolean,
): Promise<SkippedQuotes> {
  const quotes = await ledger.skippedQuotes(batch.name);
  return isOverBudget ? { ...quotes, overBudget: await neededForSkipped(ledger, batch, quotes.overBudget) } : quotes;
}

type Rows = AsyncIterable<RowStanding> | Iterable<RowStanding>;

async function sortFailed(
  rows: Rows,
  ledger: Ledger,
  batch: string,
  otherParts: Pile,
): Promise<Pick<Leftovers, 'failed' | 'tooLong' | 'refusedInParts' | 'fetchable' | 'voiceless'>> {
  const failed = new Map<FailureClass | '', Pile>();
  const tooLong = new Pile();
  const refusedInParts = new Pile();
  const fetchable = new Pile();
  const makers = new Set<number>();
  let voiceless = 0;
  for await (const scanned of rows) {
    await addOtherParts(otherParts, scanned, ledger, batch);
    const name = scanned.row.failure?.class ?? '';
    if (name === 'OutcomeUnknown') continue;
    if (name === 'ResultGone' && (await isFetchable(ledger, batch, scanned))) {
      fetchable.add(scanned);
      continue;
    }
    if (isTooLongWhole(scanned.row)) {
      tooLong.add(scanned);
      continue;
    }
    if (name === 'BadRequest' && scanned.row.parts !== null) {
      refusedInParts.add(scanned);
      continue;
    }
    const maker = makerAwaited(scanned);
    if (maker !== undefined) {
      voiceless++;
      if (makers.size < NAMED) makers.add(maker);
      continue;
    }
    const pile = failed.get(name) ?? new Pile();
    pile.add(scanned);
    failed.set(name, pile);
  }
  return { failed, tooLong, refusedInParts, fetchable, voiceless: { count: voiceless, makers: [...makers] } };
}

async function sortLost(rows: Rows, tts: TtsMode): Promise<Leftovers['lost']> {
  const lost = { listed: new Pile(), unlisted: new Pile(), unchecked: new Pile() };
  for await (const scanned of rows) {
    const pile = lacksOnlyCheck(scanned) ? lost.unchecked : hasList(scanned, tts) ? lost.listed : lost.unlisted;
    pile.add(scanned, { makes: madeBy(scanned, tts) });
  }
  return lost;
}

/** Adds the parts that the outcome of their row does not mean. Returns how many others of these are overdue. */
async function addOtherParts(found: Pile, { row }: RowStanding, ledger: Ledger, batch: string): Promise<number> {
  if (row.parts === null || row.outcome === null) return 0;
  const parts = await ledger.partsOf(batch, row.row);
  const meant = matchingParts(row, parts, { outcomes: [row.outcome] });
  const rest = parts.filter((part) => !meant.includes(part));
  for (const part of rest) if (isOther(part.row)) found.add(part);
  return rest.filter((part) => part.row.outcome === 'overdue').length;
}

/** The row that must make a failed row's voice first; undefined if the voice is there, or is not what it lacks. */
export function makerAwaited({ row }: Pick<RowWithCharges, 'row'>): number | undefined {
  const { failure, voiceRow, awaitedVoice } = row;
  return failure?.class === 'NoVoice' && awaitedVoice === null ? (voiceRow ?? undefined) : undefined;
}

/** Whether a redrive of a row pays for nothing of it. Of a row in parts, only those without a result are redriven. */
async function isFetchable(ledger: Ledger, batch: string, { row, charges }: RowStanding): Promise<boolean> {
  const parts = row.parts === null ? [] : await ledger.partsOf(batch, row.row);
  const lacking = parts.filter((part) => !hasResult(part.row.outcome));
  if (lacking.length === 0) return isFetchedFree(row, charges);
  return lacking.every((part) => isFetchedFree(part.row, part.charges));
}

/** Whether a part has no result, and is neither lost nor overdue. */
function isOther(part: RowRecord): boolean {
  return !hasResult(part.outcome) && part.outcome !== 'overdue' && !isUnknown(part);
}

/** Whether the API lists jobs such as the row's last request would have made. */
export function hasList(scanned: RowWithCharges, tts: TtsMode): boolean {
  const operation = lastOperation(scanned, tts);
  return operation !== undefined && isTraceable(operation);
}

/** What the row's last request makes, if anything. */
export function madeBy(scanned: RowWithCharges, tts: TtsMode): Made {
  const operation = lastOperation(scanned, tts);
  if (operation === undefined || makesJob(operation)) return 'job';
  return factsOf(operation).result === 'voice' ? 'voice' : 'nothing';
}

/** Whether a row in doubt has a result that is stored and paid for, and lacks only the answer of its check. */
export function lacksOnlyCheck(scanned: RowWithCharges): boolean {
  const last = lastCharge(scanned);
  return last !== undefined && checkedBy(scanned.row.kind, last.step) !== undefined;
}

function lastOperation(scanned: RowWithCharges, tts: TtsMode): Operation | undefined {
  const last = lastCharge(scanned);
  return last && operationOf(scanned.row.spec, last.step, tts);
}

function lastCharge({ row, charges }: RowWithCharges): RowWithCharges['charges'][number] | undefined {
  return charges.findLast((charge) => charge.take === presentTake(row));
}
