import { contentOfCell } from '../../contract/local-media.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import {
  COLUMN_CELLS,
  columnsReadBy,
  columnsThatShape,
  dialectOf,
  operationOf,
  stepsIn,
  type RowSpec,
  type SpecColumn,
  type TtsMode,
} from '../../contract/row-kinds.ts';

/** A row's request and its batch's TTS mode: everything in a manifest that shapes its result. */
export interface RowRequest {
  readonly spec: RowSpec;
  readonly tts: TtsMode;
}

/** A changed field that shapes a row's result. Unset values are empty. */
export interface FieldChange {
  /** A column, `kind`, `tts`, `api-dialect`, or `api.<field>`. */
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the fields that shape a result and in which two requests differ. Text in another Unicode form counts as the
 * same. If the kinds of rows differ, that is the only change, because different kinds read different fields.
 */
export function changesBetween(before: RowRequest, after: RowRequest): readonly FieldChange[] {
  const { kind } = after.spec;
  if (before.spec.kind !== kind) return [{ field: 'kind', from: before.spec.kind, to: kind }];
  const steps = stepsIn(after.spec);
  const columns = new Set(steps.flatMap((step) => columnsThatShape(kind, step)));
  const fields = new Set([...Object.keys(before.spec.extra), ...Object.keys(after.spec.extra)]);
  const differsInTts = steps.some(
    (step) => operationOf(before.spec, step, before.tts) !== operationOf(after.spec, step, after.tts),
  );
  return [
    ...[...columns].map((field) => ({ field, from: asText(before.spec[field]), to: asText(after.spec[field]) })),
    { field: 'api-dialect', from: dialectOf(before.spec), to: dialectOf(after.spec) },
    ...(differsInTts ? [{ field: 'tts', from: before.tts, to: after.tts }] : []),
    ...[...fields].map((field) => ({
      field: `api.${field}`,
      from: asJson(before.spec.extra[field]),
      to: asJson(after.spec.extra[field]),
    })),
  ].filter(({ from, to }) => from !== to);
}

function asText(value: RowSpec[SpecColumn]): string {
  if (value === undefined) return '';
  // A file with different content is a different file.
  if (typeof value === 'object') return value.map(({ path, sha256 }) => `${path} (${sha256.slice(0, 8)})`).join(' | ');
  return String(value).normalize('NFC');
}

function asJson(value: unknown): string {
  return value === undefined ? '' : canonicalJson(value);
}

/**
 * Returns the change of a row whose links are the same, but whose media behind them differ. With several links, it is
 * unknown which one changed.
 */
export function contentChanges(spec: RowSpec): readonly FieldChange[] {
  const read = new Set(stepsIn(spec).flatMap((step) => columnsReadBy(spec.kind, step)));
  const columns = [...read].filter((column) => COLUMN_CELLS[column] === 'link' && isOpenToChange(spec[column]));
  return columns.length === 0
    ? []
    : [{ field: `content of ${columns.join(' or ')}`, from: 'as it was', to: 'as it is now' }];
}

/** Whether the content of a cell can change while the cell stays the same: true for links, not for local media. */
function isOpenToChange(cell: unknown): boolean {
  return typeof cell === 'string' && contentOfCell(cell) === undefined;
}
