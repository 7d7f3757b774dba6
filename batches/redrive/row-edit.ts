import { isDeepStrictEqual } from 'util';
import { defined } from '../../contract/defined.ts';
import type { Step } from '../../contract/operations.ts';
import { type RowSpec, stepsIn, columnsThatShape } from '../../contract/row-kinds.ts';
import type { ManifestRow } from '../../inputs/manifest-options.ts';
import { numberColumns, numberIn } from '../../inputs/number-columns.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { quoteRow } from '../../policy/money/pricing.ts';
import type { ScannedRow } from '../../results/result-line.ts';
import type { RowEdit } from './selection.ts';

/** What a line of a file changes in its row; null if nothing. */
export function editOf(
  { row }: ScannedRow,
  line: ManifestRow,
  { columns }: ManifestSummary,
  batch: BatchRecord,
): RowEdit | null {
  const before = batch.columns.map((_, at) => row.input[at] ?? '');
  const isSame = (column: string, old: string, now: string): boolean =>
    isSameNumber(old, now) && numberColumns(batch.columns, batch.settings.reading).has(column);
  const input = batch.columns.map((column, at) => {
    const there = columns.indexOf(column);
    const [old = '', now = old] = [before[at], line.input[there]];
    return old !== now && isSame(column, old, now) ? old : now;
  });
  // A file may be another one under its old name.
  const isSameFiles = isDeepStrictEqual(row.spec.samples, line.spec.samples) && isSameLocalMedia(row.spec, line.spec);
  if (isDeepStrictEqual(input, before) && isSameFiles) return null;
  const spec = keepDialect(row.spec, keepLength(row.spec, line.spec));
  const { tts, prices } = batch.settings;
  return { spec, input, quoted: quoteRow(spec.kind, spec, tts, prices), from: firstTouched(row.spec, spec) };
}

/** A spreadsheet writes 6,50 as 6.5. */
function isSameNumber(before: string, after: string): boolean {
  return numberIn(before, ',') === numberIn(after, ',');
}

/** Local media are the same by their content. */
function isSameLocalMedia(before: RowSpec, after: RowSpec): boolean {
  const isLocal = before.local !== undefined || after.local !== undefined;
  return !isLocal || (before.audio === after.audio && before.video === after.video);
}

/** A row's dialect never changes, whatever id a file gives it. */
function keepDialect({ dialect }: RowSpec, { dialect: _other, ...after }: RowSpec): RowSpec {
  return { ...after, ...defined({ dialect }) };
}

/** A length that was read or assumed for media still holds for the same media. */
function keepLength(before: RowSpec, after: RowSpec): RowSpec {
  const isSame = before.audio === after.audio && before.video === after.video;
  const isKnown = after.duration === undefined && before.duration !== undefined;
  return isSame && isKnown ? { ...after, duration: before.duration } : after;
}

/** The first step whose request differs after the edit. */
function firstTouched(before: RowSpec, after: RowSpec): Step | null {
  const steps = stepsIn(after);
  const [first = null] = steps;
  if (!isDeepStrictEqual(before.extra, after.extra)) return first;
  return (
    steps.find((step) =>
      columnsThatShape(after.kind, step).some((column) => !isDeepStrictEqual(before[column], after[column])),
    ) ?? null
  );
}
