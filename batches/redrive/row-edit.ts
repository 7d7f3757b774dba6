import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../contract/defined.ts';
import type { Step } from '../../contract/operations.ts';
import { columnsThatShape, fileColumnsOf, stepsIn, type RowSpec } from '../../contract/row-kinds.ts';
import type { ManifestRow } from '../../inputs/manifest-options.ts';
import { numberColumns, numberIn } from '../../inputs/number-columns.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { quoteRow } from '../../policy/money/pricing.ts';
import type { ScannedRow } from '../../results/result-line.ts';
import type { RowEdit } from './selection.ts';

/** Returns what a line of a file changes in its row: the new input, request and quote; null if nothing. */
export function editOf(
  { row }: ScannedRow,
  line: ManifestRow,
  { columns }: ManifestSummary,
  batch: BatchRecord,
): RowEdit | null {
  const before = batch.columns.map((_, at) => row.input[at] ?? '');
  const isSameValue = (column: string, old: string, now: string): boolean =>
    isSameNumber(old, now) && numberColumns(batch.columns, batch.settings.reading).has(column);
  const input = batch.columns.map((column, at) => {
    const old = before[at] ?? '';
    const now = line.input[columns.indexOf(column)] ?? old;
    return old !== now && isSameValue(column, old, now) ? old : now;
  });
  // A file may have new content under its old name.
  const isSameContent = hasSameFiles(row.spec, line.spec) && isSameLocalMedia(row.spec, line.spec);
  if (isDeepStrictEqual(input, before) && isSameContent) return null;
  const spec = keepDialect(row.spec, keepLength(row.spec, line.spec));
  const { tts, prices } = batch.settings;
  return { spec, input, quoted: quoteRow(spec.kind, spec, tts, prices), from: firstTouched(row.spec, spec) };
}

/** Returns whether two cells are one number: a spreadsheet may write 6,50 as 6.5. */
function isSameNumber(before: string, after: string): boolean {
  return numberIn(before, ',') === numberIn(after, ',');
}

/** Returns whether two inputs upload the same files, with the same content. */
function hasSameFiles(before: RowSpec, after: RowSpec): boolean {
  const columns = [before, after].flatMap(({ kind }) => fileColumnsOf(kind));
  return columns.every((column) => isDeepStrictEqual(before[column], after[column]));
}

/** Returns whether two inputs have the same local media, by content (`audio` and `video` then contain their hashes). */
function isSameLocalMedia(before: RowSpec, after: RowSpec): boolean {
  const isLocal = before.local !== undefined || after.local !== undefined;
  return !isLocal || (before.audio === after.audio && before.video === after.video);
}

/** Returns the edited input with the row's own dialect, which never changes. */
function keepDialect({ dialect }: RowSpec, { dialect: _other, ...after }: RowSpec): RowSpec {
  return { ...after, ...defined({ dialect }) };
}

/** Returns the edited input with the known length of its media, if the media are the same. */
function keepLength(before: RowSpec, after: RowSpec): RowSpec {
  const isSame = before.audio === after.audio && before.video === after.video;
  const isKnown = after.duration === undefined && before.duration !== undefined;
  return isSame && isKnown ? { ...after, duration: before.duration } : after;
}

/** Returns the first step whose request differs after the edit; null if none does. */
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
