import { compareBatches, type BatchComparison, type UnlikeRow } from '../../batches/compare/compare-batches.ts';
import { DEFAULT_TOLERANCES, type Tolerances } from '../../contract/tolerances.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import {
  DifferenceTable,
  isOurTable,
  type DifferenceLine,
  type DifferenceSide,
} from '../../results/compare/difference-table.ts';
import { openStore } from '../../store/open-store.ts';
import { VoxbatchError, refuseOption } from '../problem.ts';
import { systemFault } from '../machine-faults.ts';
import { chooseBatch } from '../open-records.ts';
import type { Session } from '../session.ts';
import { dialectChoiceOf } from '../../contract/batch.ts';
import { dialectOf } from '../../contract/row-kinds.ts';
import type { Judgement } from '../../policy/compare/judge-parity.ts';
import type { Pair, RowDifference } from '../../policy/compare/row-parity.ts';
import { creditsOf, wasMade } from '../../results/result-line.ts';
import { codeOf } from '../../results/files.ts';

/** Options for comparing two batches. */
export interface CompareOptions {
  /** Allowed differences as shares from 0 up; `Infinity` allows any. Default: {@link DEFAULT_TOLERANCES}. */
  readonly tolerances?: Partial<Tolerances>;
  /** Called for each row that differs, and for each that only one batch has. */
  readonly onRow?: (row: UnlikeRow) => Promise<void> | void;
}

/**
 * Compares two batches of a ledger; see `batches/compare/compare-batches.ts`. Throws {@link VoxbatchError} (`no-batch`,
 * `loading`, `bad-option`).
 */
export async function compareByName(
  { settings, ...session }: Session,
  [one, other]: readonly [string, string],
  { tolerances = {}, ...options }: CompareOptions = {},
): Promise<BatchComparison> {
  for (const [name, share] of Object.entries(tolerances)) checkShare(name, share);
  if (one === other) refuseOption('batch', 'two different batches', one);
  const ledger = await session.ledger();
  const batches = [await loadedBatch(ledger, one), await loadedBatch(ledger, other)] as const;
  const store = await openStore(settings.store, settings.env);
  try {
    return await compareBatches({
      ...options,
      ledger,
      batches,
      tolerances: { ...DEFAULT_TOLERANCES, ...tolerances },
      store,
    });
  } finally {
    await store.close();
  }
}

/**
 * A comparison to be shown. `unrelated`: no row is in both batches. `table-taken`: another file would be overwritten.
 * The table is written only if two batches were compared.
 */
export type ComparisonAnswer =
  | { readonly type: 'compared'; readonly view: ComparisonView }
  | { readonly type: 'unrelated' | 'table-taken' }
  | { readonly type: 'table-unwritable'; readonly cause: unknown };

/**
 * Compares two batches as {@link compareByName} does, and returns a view; optionally writes a table of the differing
 * rows.
 *
 * @param maxDiffering max differing rows in the view
 * @param path CSV file for all differing rows; undefined writes none
 */
export async function showComparison(
  session: Session,
  names: readonly [string, string],
  tolerances: Partial<Tolerances>,
  maxDiffering: number,
  path: string | undefined,
): Promise<ComparisonAnswer> {
  await session.ledger();
  const opened = path === undefined ? undefined : await openTable(path);
  if (opened !== undefined && 'type' in opened) return opened;
  const differing: Difference[] = [];
  try {
    const found = await compareByName(session, names, {
      tolerances,
      onRow: async (row) => {
        const line = differenceLine(row);
        if (differing.length < maxDiffering) differing.push(line);
        await opened?.add(line);
      },
    });
    const { compared, notRun, open } = found.rows;
    if (compared + notRun + open === 0) return { type: 'unrelated' };
    await opened?.publish();
    return { type: 'compared', view: comparisonView(found, differing) };
  } finally {
    await opened?.abandon();
  }
}

async function openTable(path: string): Promise<DifferenceTable | Exclude<ComparisonAnswer, { type: 'compared' }>> {
  try {
    return (await isOurTable(path)) ? await DifferenceTable.create(path) : { type: 'table-taken' };
  } catch (cause) {
    if (codeOf(cause) === '' || systemFault(cause) !== undefined) throw cause;
    return { type: 'table-unwritable', cause };
  }
}

async function loadedBatch(ledger: Ledger, name: string): Promise<BatchRecord> {
  const batch = await chooseBatch(ledger, name);
  if (batch.state === 'loading') throw new VoxbatchError({ type: 'loading', batch });
  return batch;
}

function checkShare(name: string, share: number): void {
  // NaN is refused too, so not `share < 0`.
  if (!(share >= 0)) refuseOption(`tolerances.${name}`, 'a share from 0 on', share);
}

/** Members of a comparison that have another form or place in its view. */
type Reshaped = 'batches' | 'tolerances' | 'rows' | 'length' | 'latency' | 'judgements' | 'only' | 'unmeasured';

/** A differing row, ready for display. `only`: just one batch has it. */
interface Difference extends DifferenceLine {
  readonly differs: readonly (RowDifference | 'only')[];
}

/** Two batches side by side, ready for display. In pairs, the first batch comes first. */
export interface ComparisonView extends Omit<BatchComparison, Reshaped> {
  readonly batches: Pair<
    Pick<BatchRecord, 'name' | 'account'> & {
      readonly api: string;
      readonly apiDialect: string;
      /** Paused until a person resumes it. */
      readonly paused: boolean;
    }
  >;
  readonly rows: BatchComparison['rows'] & Pick<BatchComparison, 'only'>;
  readonly length: BatchComparison['length'] & Pick<BatchComparison, 'unmeasured'>;
  readonly latency: readonly (Pick<Latency, 'step'> & {
    readonly acceptedMs: Latency['accepted'];
    readonly finishedMs: Latency['finished'];
  })[];
  /** In JSON, an infinite one is null. */
  readonly tolerances: Readonly<Record<keyof Tolerances, number | null>>;
  readonly judgements: readonly (Omit<Judgement, 'isWithin'> & { readonly within: boolean })[];
  /** The first rows that differ. */
  readonly differing: readonly Difference[];
}

type Latency = BatchComparison['latency'][number];

/** Turns a comparison into its view. `differing`: the first differing rows. */
function comparisonView(
  { batches, rows, length, latency, judgements, only, unmeasured, ...found }: BatchComparison,
  differing: readonly Difference[],
): ComparisonView {
  return {
    ...found,
    batches: [batchView(batches[0]), batchView(batches[1])],
    rows: { ...rows, only },
    length: { ...length, unmeasured },
    latency: latency.map(({ step, accepted, finished }) => ({ step, acceptedMs: accepted, finishedMs: finished })),
    judgements: judgements.map(({ isWithin, ...judged }) => ({ ...judged, within: isWithin })),
    differing,
  };
}

function batchView({ name, apiUrl, account, settings, state, control }: BatchRecord): ComparisonView['batches'][0] {
  return {
    name,
    api: apiUrl,
    account,
    apiDialect: dialectChoiceOf(settings),
    paused: state === 'open' && control === 'paused',
  };
}

/** A differing row as a table line and for display. */
function differenceLine(row: UnlikeRow): Difference {
  if (row.type === 'only') {
    const side = sideOf(row.row, null);
    const sides = row.side === 0 ? ([side, null] as const) : ([null, side] as const);
    return { id: row.row.row.id, differs: ['only'], input: [], words: null, sides };
  }
  const { rows, sides, parity, input } = row;
  return {
    id: rows[0].row.id,
    differs: parity.differences,
    input,
    words: parity.words,
    sides: [sideOf(rows[0], sides[0].seconds), sideOf(rows[1], sides[1].seconds)],
  };
}

function sideOf({ row, charges }: RowSnapshot, seconds: number | null): DifferenceSide {
  return {
    row: row.row,
    apiDialect: dialectOf(row.spec),
    outcome: row.outcome,
    errorClass: row.failure?.class ?? null,
    extension: row.file?.extension ?? null,
    seconds,
    credits: creditsOf(charges),
    attempts: charges.filter(({ state }) => wasMade(state)).length,
    text: row.text,
  };
}
