import type { FailureClass } from '../../contract/failures.ts';
import { overlongMessage } from '../../contract/max-seconds.ts';
import { hasResult, OUTCOMES, type Outcome } from '../../contract/outcomes.ts';
import {
  checkedStepOf,
  isTraceable,
  makesJob,
  factsOf,
  operationOf,
  type Operation,
  type TtsMode,
} from '../../contract/row-kinds.ts';
import { failedAsTooLong } from '../../contract/api-limits.ts';
import type { RowWithCharges } from '../../results/result-line.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts, SkippedQuotes } from '../../ledger/batches/counts.ts';
import type { EarlierUnresolved } from '../../ledger/requests/unresolved.ts';
import type { RowRecord, RowSnapshot } from '../../ledger/rows/row-records.ts';
import { limitsLength } from './limits-length.ts';
import { neededForSkipped } from '../plan/skipped-rows.ts';
import { isFetchedFree } from '../../policy/redrive/redrive.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { nameOf, type NamedRow } from '../../contract/row-parts.ts';
import { matchingParts, isUnknown, selectUnknown } from '../rows/find-rows.ts';

/** What a request creates at the API; `nothing` if the answer is itself the result. */
export type Made = 'job' | 'voice' | 'nothing';

/** A row, named in a group; often one whose request's answer was lost. */
export interface LostRow extends NamedRow {
  /** What its request creates, for a person to name. Default: a job. */
  readonly makes?: Made;
}

/** A group of rows: their count, and the first of them to name in commands. */
export interface SomeRows {
  readonly count: number;
  /** How many of these are parts, each counted as one. Default: 0. */
  readonly parts?: number;
  readonly first: readonly LostRow[];
}

/**
 * A batch's rows without a result, and rows whose result plays too long, grouped by what a person can do about them.
 */
export interface Leftovers {
  /** Failed rows by class, except those in the next four groups, and `OutcomeUnknown`, which is in `lost`. */
  readonly failed: ReadonlyMap<FailureClass | '', SomeRows>;
  /** Rows whose text, or a part of it, exceeds the API's limit: it needs splitting, not editing. */
  readonly tooLong: SomeRows;
  /** Rows with a part that the API refused: a part's text cannot be edited within the batch. */
  readonly refusedInParts: SomeRows;
  /** Failed rows whose paid result a redrive can fetch again for free. */
  readonly fetchable: SomeRows;
  /**
   * Rows that failed because another row did not make their voice; they resume automatically with that row. `makers`:
   * the numbers of the first such rows.
   */
  readonly voiceless: { readonly count: number; readonly makers: readonly number[] };
  /**
   * Rows, or parts in place of their rows, whose answers were lost: `listed` if the API lists such jobs, `unchecked` if
   * only a verification's answer was lost, otherwise `unlisted`.
   */
  readonly lost: { readonly listed: SomeRows; readonly unlisted: SomeRows; readonly unchecked: SomeRows };
  /** Rows with a result that plays longer than they allow (`max_seconds`). */
  readonly overlong: SomeRows;
  /** Parts without a result that are neither lost nor overdue, and are not covered by their row's outcome. */
  readonly otherParts: SomeRows;
  /** How many parts of rows in doubt have a job that still runs. */
  readonly lateParts: number;
  /** Cost of the skipped rows; for those over the budget, the credits it must have left, based on charges so far. */
  readonly skippedQuotes: SkippedQuotes;
  /** Requests of earlier takes (runs that a redrive replaced) that may have been charged. */
  readonly earlierUnresolved: EarlierUnresolved;
}

/** Max rows named per group. */
const MAX_NAMED = 25;

/** Counts rows, and keeps the first of them. */
class RowGroup implements SomeRows {
  readonly first: LostRow[] = [];
  count = 0;
  parts = 0;

  add({ row }: RowSnapshot, facts: Pick<LostRow, 'makes'> = {}): void {
    this.count++;
    if (row.partOf !== null) this.parts++;
    if (this.first.length < MAX_NAMED) this.first.push({ ...nameOf(row), ...facts });
  }
}

/** Groups a batch's rows without a result. Reads only outcomes that occur in the batch. */
export async function gatherLeftovers(
  ledger: Ledger,
  { name: batch, settings, columns }: Pick<BatchRecord, 'name' | 'settings' | 'columns'>,
  { outcomes, notChosen, notCached }: Counts,
): Promise<Leftovers> {
  const rowsOf = async function* (outcome: Outcome): AsyncGenerator<RowSnapshot, void, undefined> {
    if (outcomes[outcome] > 0) yield* ledger.scanRows(batch, { outcome });
  };
  const mayBeLost = outcomes.unknown + outcomes.failed > 0;
  const otherParts = new RowGroup();
  let lateParts = 0;
  for (const outcome of ['unknown', 'overdue'] as const)
    for await (const whole of rowsOf(outcome)) lateParts += await addOtherParts(otherParts, whole, ledger, batch);
  const overlong = new RowGroup();
  if (limitsLength({ settings, columns }))
    for (const outcome of OUTCOMES.filter(hasResult))
      for await (const whole of rowsOf(outcome))
        if (overlongMessage(whole.row.spec, whole.row.file?.seconds) !== undefined) overlong.add(whole);
  return {
    overlong,
    ...(await sortFailed(rowsOf('failed'), ledger, batch, otherParts)),
    lost: await sortLost(mayBeLost ? selectUnknown(ledger, batch) : [], settings.tts),
    otherParts,
    lateParts,
    skippedQuotes: await quoteSkipped(ledger, { name: batch, settings }, outcomes.skipped > notChosen + notCached),
    earlierUnresolved: await ledger.earlierUnresolved(batch, MAX_NAMED),
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

type Rows = AsyncIterable<RowSnapshot> | Iterable<RowSnapshot>;

async function sortFailed(
  rows: Rows,
  ledger: Ledger,
  batch: string,
  otherParts: RowGroup,
): Promise<Pick<Leftovers, 'failed' | 'tooLong' | 'refusedInParts' | 'fetchable' | 'voiceless'>> {
  const failed = new Map<FailureClass | '', RowGroup>();
  const tooLong = new RowGroup();
  const refusedInParts = new RowGroup();
  const fetchable = new RowGroup();
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
    if (failedAsTooLong(scanned.row)) {
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
      if (makers.size < MAX_NAMED) makers.add(maker);
      continue;
    }
    const group = failed.get(name) ?? new RowGroup();
    group.add(scanned);
    failed.set(name, group);
  }
  return { failed, tooLong, refusedInParts, fetchable, voiceless: { count: voiceless, makers: [...makers] } };
}

async function sortLost(rows: Rows, tts: TtsMode): Promise<Leftovers['lost']> {
  const lost = { listed: new RowGroup(), unlisted: new RowGroup(), unchecked: new RowGroup() };
  for await (const scanned of rows) {
    lost[lossGroup(scanned, tts)].add(scanned, { makes: madeBy(scanned, tts) });
  }
  return lost;
}

function lossGroup(scanned: RowSnapshot, tts: TtsMode): keyof Leftovers['lost'] {
  if (lacksOnlyCheck(scanned)) return 'unchecked';
  return hasList(scanned, tts) ? 'listed' : 'unlisted';
}

/** Adds the parts that their row's outcome does not cover. Returns how many other parts are overdue. */
async function addOtherParts(found: RowGroup, { row }: RowSnapshot, ledger: Ledger, batch: string): Promise<number> {
  if (row.parts === null || row.outcome === null) return 0;
  const parts = await ledger.partsOf(batch, row.row);
  const covered = matchingParts(row, parts, { outcomes: [row.outcome] });
  const rest = parts.filter((part) => !covered.includes(part));
  for (const part of rest) if (isOther(part.row)) found.add(part);
  return rest.filter((part) => part.row.outcome === 'overdue').length;
}

/** Returns the row that must first make a failed row's voice; undefined if the voice exists or is not the cause. */
export function makerAwaited({ row }: Pick<RowWithCharges, 'row'>): number | undefined {
  const { failure, voiceRow, awaitedVoice } = row;
  return failure?.class === 'NoVoice' && awaitedVoice === null ? (voiceRow ?? undefined) : undefined;
}

/** Returns whether redriving a row costs nothing. For a row in parts, only parts without a result are redriven. */
async function isFetchable(ledger: Ledger, batch: string, { row, charges }: RowSnapshot): Promise<boolean> {
  const parts = row.parts === null ? [] : await ledger.partsOf(batch, row.row);
  const withoutResult = parts.filter((part) => !hasResult(part.row.outcome));
  if (withoutResult.length === 0) return isFetchedFree(row, charges);
  return withoutResult.every((part) => isFetchedFree(part.row, part.charges));
}

/** Returns whether a part has no result, and is neither lost nor overdue. */
function isOther(part: RowRecord): boolean {
  return !hasResult(part.outcome) && part.outcome !== 'overdue' && !isUnknown(part);
}

/** Returns whether the API has a list of jobs in which the job of the row's last request would appear. */
export function hasList(scanned: RowWithCharges, tts: TtsMode): boolean {
  const operation = lastOperation(scanned, tts);
  return operation !== undefined && isTraceable(operation);
}

/** Returns what the row's last request creates at the API. */
export function madeBy(scanned: RowWithCharges, tts: TtsMode): Made {
  const operation = lastOperation(scanned, tts);
  if (operation === undefined || makesJob(operation)) return 'job';
  switch (factsOf(operation).result) {
    case 'voice':
      return 'voice';
    case 'audio':
    case 'video':
    case 'transcript':
      return 'nothing';
  }
}

/** Returns whether a row in doubt has a stored, paid result and only the answer of its verification is lost. */
export function lacksOnlyCheck(scanned: RowWithCharges): boolean {
  const last = lastCharge(scanned);
  return last !== undefined && checkedStepOf(scanned.row.kind, last.step) !== undefined;
}

function lastOperation(scanned: RowWithCharges, tts: TtsMode): Operation | undefined {
  const last = lastCharge(scanned);
  return last && operationOf(scanned.row.spec, last.step, tts);
}

function lastCharge({ row, charges }: RowWithCharges): RowWithCharges['charges'][number] | undefined {
  return charges.findLast((charge) => charge.take === presentTake(row));
}
