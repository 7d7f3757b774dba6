import { isDeepStrictEqual } from 'node:util';
import { unescapeControls } from '../../contract/control-characters.ts';
import { defined } from '../../contract/defined.ts';
import { columnsThatShape, stepsIn, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import type { ManifestRow } from '../../inputs/manifest-row.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { quoteRow } from '../../policy/money/pricing.ts';
import type { ScannedRow } from '../../results/result-line.ts';
import type { RowEdit } from './selection.ts';

/** What a line of a file changes in its row; null if nothing. */
export function editOf(
  { row }: ScannedRow,
  line: ManifestRow,
  { columns }: Pick<ManifestSummary, 'columns'>,
  batch: Pick<BatchRecord, 'columns' | 'settings'>,
): RowEdit | null {
  const before = batch.columns.map((_, at) => row.input[at] ?? '');
  const isOutcome = line.previousRow !== undefined;
  const asMeant = <T>(cell: T, recorded: T | undefined): T => (isOutcome ? readAsFormerly(cell, recorded) : cell);
  const input = batch.columns.map((column, at) => {
    const there = columns.indexOf(column);
    return asMeant((there < 0 ? before[at] : line.input[there]) ?? '', before[at]);
  });
  // A file may be another one under its old name.
  const isSameFiles = isDeepStrictEqual(row.spec.samples, line.spec.samples);
  if (isDeepStrictEqual(input, before) && isSameFiles) return null;
  const spec = keepDialect(row.spec, keepLength(row.spec, asMeant(line.spec, row.spec)));
  const { tts, prices } = batch.settings;
  return { spec, input, quoted: quoteRow(spec.kind, spec, tts, prices), from: firstTouched(row.spec, spec) };
}

/**
 * A value of an outcome file, which may be of an earlier version: that wrote a text that looks like an escaped control character as it was, and read
 * as if it were escaped, it is another. Where that makes the difference to what is on record, it is what is on record.
 */
function readAsFormerly<T>(value: T, recorded: T | undefined): T {
  if (typeof value === 'string')
    return typeof recorded === 'string' && value === unescapeControls(recorded) ? recorded : value;
  if (!isRecord(value) || !isRecord(recorded)) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, readAsFormerly(one, recorded[name])] as const);
  return Object.fromEntries(entries) as T;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
