import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { hasResult, wasAccepted } from '../../contract/outcomes.ts';
import { RESULT_FACTS } from '../../contract/operations.ts';
import { resultOf, type RowSpec } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { ParityTally, type BatchParity, type PaidSide, type RequestTimes } from '../../policy/compare/batch-parity.ts';
import type { Tolerances } from '../../contract/tolerances.ts';
import { judgeParity, type Judgement, type ParityVerdict } from '../../policy/compare/judge-parity.ts';
import { changesBetween } from '../../policy/plan/row-changes.ts';
import { compareRows, type Pair, type RowParity, wordsOf } from '../../policy/compare/row-parity.ts';
import { inChunks } from '../../results/in-chunks.ts';
import { creditsKindOf, creditsOf, wasMade } from '../../results/result-line.ts';
import type { Store } from '../../store/store.ts';

/** Which batches to compare, and where their records and files are. */
export interface CompareRequest {
  readonly ledger: Ledger;
  /** Used to measure files from earlier versions, which recorded no length. */
  readonly store: Store;
  readonly batches: Pair<BatchRecord>;
  readonly tolerances: Tolerances;
  /** Called for each row that differs, and for each that only one batch has. */
  readonly onRow?: (row: UnlikeRow) => Promise<void> | void;
}

/** A row that differs, or that only one batch has. */
export type UnlikeRow =
  | {
      readonly type: 'differs';
      readonly rows: Pair<RowSnapshot>;
      readonly sides: Pair<PaidSide>;
      readonly parity: RowParity;
      /** Input fields that differ. */
      readonly input: readonly string[];
    }
  | Extract<PairedRow, { type: 'only' }>;

/** Two batches side by side. In pairs, the first batch comes first. */
export interface BatchComparison extends BatchParity {
  readonly batches: Pair<BatchRecord>;
  readonly tolerances: Tolerances;
  readonly verdict: ParityVerdict;
  readonly judgements: readonly Judgement[];
  /** Rows that only this batch has. */
  readonly only: Pair<number>;
  /** Media files whose length could not be read: removed, missing, unreadable, or of a type without one. */
  readonly unmeasured: number;
}

/** Pairs of rows compared concurrently. */
const PAIRS_AT_ONCE = 16;
/** Rows looked up together in the other batch. */
const ROWS_AT_ONCE = 200;

/** Compares two batches row by row, from ledger and stored files. Spends nothing, sends nothing, changes nothing. */
export async function compareBatches(request: CompareRequest): Promise<BatchComparison> {
  const { ledger, batches, tolerances, onRow } = request;
  const tally = new ParityTally();
  const only: [number, number] = [0, 0];
  let unmeasured = 0;
  for await (const chunk of inChunks(pairRows(ledger, batches), PAIRS_AT_ONCE)) {
    const compared = await Promise.all(
      chunk.map(async (paired) => (paired.type === 'only' ? paired : comparePair(paired.rows, request))),
    );
    for (const row of compared) {
      if (row.type === 'only') only[row.side] += 1;
      else {
        tally.add(row.sides, row.parity);
        unmeasured += row.unmeasured;
        if (row.parity.differences.length === 0) continue;
      }
      await onRow?.(row);
    }
    // The ledger may answer without ever yielding, so signals would be handled only at the end.
    await setImmediate();
  }
  const parity = tally.sum();
  return { ...parity, batches, tolerances, ...judgeParity(parity, tolerances), only, unmeasured };
}

/** A pair after comparison; with an empty `parity.differences` if the rows are alike. */
type ComparedPair = Extract<UnlikeRow, { type: 'differs' }> & { readonly unmeasured: number };

async function comparePair(
  rows: Pair<RowSnapshot>,
  { store, tolerances }: Pick<CompareRequest, 'store' | 'tolerances'>,
): Promise<ComparedPair> {
  const [one, other] = [mediaOf(rows[0]), mediaOf(rows[1])];
  const isMeasured = one !== null && other !== null;
  const lengths: Pair<number | null> = isMeasured
    ? await Promise.all([lengthOf(one, store), lengthOf(other, store)])
    : [null, null];
  const sides: Pair<PaidSide> = [sideOf(rows[0], lengths[0]), sideOf(rows[1], lengths[1])];
  const input = inputChanges(rows[0].row.spec, rows[1].row.spec);
  const parity = compareRows(sides, tolerances, input.length > 0);
  const unmeasured = isMeasured ? lengths.filter((length) => length === null).length : 0;
  return { type: 'differs', rows, sides, parity, input, unmeasured };
}

/** Returns a row's result file; null without one, or if its type has no duration. */
function mediaOf({ row }: RowSnapshot): ResultFile | null {
  return RESULT_FACTS[resultOf(row.kind)].isPlayed ? row.file : null;
}

/** Returns a file's length in seconds, from the record; measures files from earlier versions. Null if unknown. */
async function lengthOf(file: ResultFile, store: CompareRequest['store']): Promise<number | null> {
  if (file.seconds !== undefined) return file.seconds;
  return file.removedAt === undefined ? ((await store.seconds(file)) ?? null) : null;
}

/** Gathers the facts of a row that are compared. */
function sideOf({ row, charges }: RowSnapshot, seconds: number | null): PaidSide {
  return {
    outcome: row.outcome,
    failure: hasResult(row.outcome) ? null : (row.failure?.class ?? null),
    extension: row.file?.extension ?? null,
    seconds,
    words: row.text === null ? null : wordsOf(row.text),
    requests: charges.flatMap(timesOf),
    credits: creditsOf(charges),
    isPaid:
      hasResult(row.outcome) &&
      creditsKindOf(charges) !== 'uncertain' &&
      charges.every(({ state }) => state !== 'cached'),
    attempts: charges.filter(({ state }) => wasMade(state)).length,
  };
}

function timesOf({ step, state, intentAt, verdictAt, finishedAt }: ChargeRecord): readonly RequestTimes[] {
  if (!wasAccepted(state) || verdictAt === null) return [];
  const finishedMs = state === 'done' || finishedAt === null ? null : finishedAt - verdictAt;
  return [{ step, acceptedMs: verdictAt - intentAt, finishedMs }];
}

/** Returns the input fields in which two rows differ; none if an input was removed (`clean`). */
function inputChanges(one: RowSpec, other: RowSpec): readonly string[] {
  if (isRequestRemoved(one) || isRequestRemoved(other)) return [];
  // The endpoint used is not part of a row's input.
  const [before, after] = [withoutDialect(one), withoutDialect(other)];
  return changesBetween({ spec: before, tts: 'job' }, { spec: after, tts: 'job' }).map(({ field }) => field);
}

/** Two batches' rows for the same manifest row, or a row that only one batch has. */
export type PairedRow =
  | { readonly type: 'pair'; readonly rows: Pair<RowSnapshot> }
  | { readonly type: 'only'; readonly side: 0 | 1; readonly row: RowSnapshot };

/**
 * Yields every row of two batches once, paired or alone. Rows are paired by id, otherwise by equal input. Reads the
 * batches page by page; keeps one number per row, and 22 characters for each row whose id the other batch lacks.
 */
export async function* pairRows(ledger: Ledger, [one, other]: Pair<BatchRecord>): AsyncGenerator<PairedRow, undefined> {
  const matched = new Set<number>();
  /** Numbers of the first batch's rows that are not paired yet, by their input. */
  const waiting = new Map<string, number[]>();
  for await (const rows of inChunks(ledger.scanRows(one.name), ROWS_AT_ONCE)) {
    const found = await ledger.rowsWithIds(
      other.name,
      rows.map(({ row }) => row.id),
    );
    const byId = new Map(found.map((snapshot) => [snapshot.row.id, snapshot]));
    for (const row of rows) {
      const counterpart = byId.get(row.row.id);
      if (counterpart === undefined) {
        // A row whose input was removed matches no other.
        const content = contentOf(row) ?? `row ${row.row.row}`;
        waiting.set(content, [...(waiting.get(content) ?? []), row.row.row]);
      } else {
        matched.add(counterpart.row.row);
        yield { type: 'pair', rows: [row, counterpart] };
      }
    }
  }
  if (matched.size < other.rows) {
    for await (const row of ledger.scanRows(other.name)) {
      if (matched.has(row.row.row)) continue;
      const counterpart = await readWaiting(ledger, one.name, waiting.get(contentOf(row) ?? '')?.shift());
      yield counterpart === undefined ? { type: 'only', side: 1, row } : { type: 'pair', rows: [counterpart, row] };
    }
  }
  for (const number of [...waiting.values()].flat().toSorted((a, b) => a - b)) {
    const row = await readWaiting(ledger, one.name, number);
    if (row !== undefined) yield { type: 'only', side: 0, row };
  }
}

async function readWaiting(ledger: Ledger, batch: string, row: number | undefined): Promise<RowSnapshot | undefined> {
  return row === undefined ? undefined : ledger.readRow(batch, row);
}

/** A digest of a row's input; undefined if it was removed. */
function contentOf({ row: { spec } }: RowSnapshot): string | undefined {
  if (isRequestRemoved(spec)) return undefined;
  return hash('sha256', canonicalJson(withoutDialect(spec)).normalize('NFC'), 'base64url').slice(0, 22);
}

/** A row's input without its dialect, which a migration changes. */
function withoutDialect({ dialect: _, ...spec }: RowSpec): RowSpec {
  return spec;
}

/** Whether a row's input was removed (`clean`). */
function isRequestRemoved({ kind: _kind, dialect: _dialect, extra, ...columns }: RowSpec): boolean {
  return Object.keys(columns).length === 0 && Object.keys(extra).length === 0;
}
