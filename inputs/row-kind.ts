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
import type { Columns, PlacedFinding } from './columns.ts';
import { suggestName } from '../contract/suggest-name.ts';

/**
 * Returns the columns that identify a kind: those that it requires and that no flag fills. The voice identifies none,
 * because it may come from a default; nor does `name`, because many tables have such a column of their own.
 */
const identifyingOf = memoizePerKind((kind) =>
  columnsOfKind(kind).required.filter((column) => !isDefaulted(column) && column !== 'name'),
);

/** All columns that identify some kind. Operations of a user's own have none: their rows name the kind. */
const IDENTIFYING: readonly SpecColumn[] = [
  ...new Set(KINDS.filter((kind) => kindFactsOf(kind).onlyByName !== true).flatMap(identifyingOf)),
];

/** Returns the kind that the columns of a file imply, whatever their cells contain; undefined for none or several. */
export function kindOfColumns({ known }: Columns): Kind | undefined {
  return inferKind(IDENTIFYING.filter((column) => known.has(column)));
}

/**
 * Decides the kind of a record: its `kind` cell, otherwise `stated`, otherwise what its filled cells imply. `stated` is
 * `--kind`, or the kind that the columns imply. Columns come before cells, because a blank cell in a file of dubs is a
 * mistake, not a cheaper kind of row.
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
  const filled = IDENTIFYING.filter((column) => (cells[known.get(column) ?? -1] ?? '').trim() !== '');
  const kind = inferKind(filled);
  if (kind !== undefined) return { kind };
  const isOfHeader = IDENTIFYING.every((column) => columns.lacks(column));
  return { findings: isOfHeader ? columns.once('kind', () => noKind(filled)) : [noKind(filled)] };
}

/**
 * Returns the only kind that is identified by exactly these columns: text → `tts`, text and video → `dub`, video and
 * audio → `lip-sync`, audio → `stt`. Undefined if several are possible (text and audio) or none.
 */
function inferKind(has: readonly SpecColumn[]): Kind | undefined {
  return KINDS.find((kind) => {
    const identifying = identifyingOf(kind);
    return (
      kindFactsOf(kind).onlyByName !== true &&
      identifying.length === has.length &&
      identifying.every((one) => has.includes(one))
    );
  });
}

/** Returns the finding for a row whose kind is not given and cannot be inferred. */
function noKind(filled: readonly SpecColumn[]): Finding {
  const needs = KINDS.map((kind) => `${kind} needs ${columnsOfKind(kind).required.join(', ')}`).join('; ');
  return {
    column: 'kind',
    expected: `a kind column or --kind, because the cells do not tell the kind: ${needs}`,
    got:
      filled.length === 0 ? `neither ${IDENTIFYING.join(' nor ')}` : `${filled.join(' and ')}: could be several kinds`,
    code: 'no-kind',
  };
}
