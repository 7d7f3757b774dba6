import { isDefaulted } from '../contract/batch.ts';
import {
  columnsOfKind,
  kindFactsOf,
  KINDS,
  memoizePerKind,
  type Kind,
  type SpecColumn,
} from '../contract/row-kinds.ts';
import { show, type Finding } from '../contract/manifest-problems.ts';
import type { Columns, PlacedFinding } from './header.ts';
import { suggestName } from '../contract/suggest-name.ts';

/**
 * The columns that identify a kind: those that it needs and that no flag fills. The voice identifies none: it may come
 * from a default, and a row without one is reported. Nor does `name`: many tables have such a column of their own.
 */
const tellingOf = memoizePerKind((kind) =>
  columnsOfKind(kind).required.filter((column) => !isDefaulted(column) && column !== 'name'),
);

/** Columns that distinguish the kinds. Those of a user's own are selected by name. */
const TELLING: readonly SpecColumn[] = [
  ...new Set(KINDS.filter((kind) => kindFactsOf(kind).onlyByName !== true).flatMap(tellingOf)),
];

/** The kind implied by the columns of a file, whatever their cells contain; undefined if they imply none or several. */
export function kindOfColumns({ known }: Columns): Kind | undefined {
  return inferKind(TELLING.filter((column) => known.has(column)));
}

/**
 * The kind of a record: its `kind` cell, otherwise `stated`, otherwise what its filled cells imply. `stated` is
 * `--kind`, or the kind that the columns imply. Columns come before cells: a blank cell in a file of dubs is a mistake,
 * not a cheaper kind of row.
 */
export function decideKind(
  columns: Columns,
  cells: readonly string[],
  stated: Kind | undefined,
): { readonly kind: Kind } | { readonly findings: readonly PlacedFinding[] } {
  const { known } = columns;
  const given = cells[known.get('kind') ?? -1]?.trim() ?? '';
  if (given !== '') {
    const kind = KINDS.find((one) => one === given);
    if (kind !== undefined) return { kind };
    const meant = suggestName(given, KINDS);
    const expected = `one of ${KINDS.join(', ')}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
    return { findings: [{ column: columns.headerOf('kind'), expected, got: show(given), code: 'unknown-kind' }] };
  }
  if (stated !== undefined) return { kind: stated };
  const filled = TELLING.filter((column) => (cells[known.get(column) ?? -1] ?? '').trim() !== '');
  const kind = inferKind(filled);
  if (kind !== undefined) return { kind };
  const isOfHeader = TELLING.every((column) => columns.lacks(column));
  return { findings: isOfHeader ? columns.once('kind', () => noKind(filled)) : [noKind(filled)] };
}

/**
 * The only kind that needs exactly these columns: text → `tts`, text and video → `dub`, video and audio → `lip-sync`,
 * audio → `stt`. Undefined if several are possible (text and audio) or none.
 */
function inferKind(has: readonly SpecColumn[]): Kind | undefined {
  return KINDS.find((kind) => {
    const telling = tellingOf(kind);
    return (
      kindFactsOf(kind).onlyByName !== true &&
      telling.length === has.length &&
      telling.every((one) => has.includes(one))
    );
  });
}

/** The finding for a row whose kind is not given and cannot be inferred. */
function noKind(filled: readonly SpecColumn[]): Finding {
  const needs = KINDS.map((kind) => `${kind} needs ${columnsOfKind(kind).required.join(', ')}`).join('; ');
  return {
    column: 'kind',
    expected: `a kind column or --kind, because the cells do not tell the kind: ${needs}`,
    got: filled.length === 0 ? `neither ${TELLING.join(' nor ')}` : `${filled.join(' and ')}: could be several kinds`,
    code: 'no-kind',
  };
}
