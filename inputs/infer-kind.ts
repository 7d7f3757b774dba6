import { KIND_FACTS, KINDS, ROW_KINDS } from '../contract/row-kinds.ts';
import type { Kind, SpecColumn } from '../contract/row-kinds.ts';
import { isDefaulted } from './row-defaults.ts';
import { nearestName } from './nearest-name.ts';
import { show } from './problems.ts';
import type { Finding } from './problems.ts';

/**
 * Columns that tell the kinds apart: those that a kind needs and that no flag fills. The voice does not tell anything apart: it may come
 * from a default, and a row without one is told so.
 */
export const TELLING: readonly SpecColumn[] = [...new Set(KINDS.flatMap(tellingOf))];

/**
 * The one kind that fits a row or a header, by those of the telling columns that it has: text → `tts`, text and video → `dub`, video and
 * audio → `lip-sync`, audio → `stt`. Undefined where several could be meant (text and audio) or none.
 */
export function inferKind(has: ReadonlySet<SpecColumn>): Kind | undefined {
  return KINDS.find((kind) => {
    const telling = tellingOf(kind);
    return KIND_FACTS[kind].onlyByName !== true && telling.length === has.size && telling.every((one) => has.has(one));
  });
}

function tellingOf(kind: Kind): readonly SpecColumn[] {
  return ROW_KINDS[kind].required.filter((column) => !isDefaulted(column));
}

/** The kind that a `kind` cell or `--kind` names. */
export function parseKind(cell: string, column: string): { kind: Kind } | { finding: Finding } {
  const kind = KINDS.find((known) => known === cell);
  if (kind !== undefined) return { kind };
  const expected = `one of ${KINDS.join(', ')} (the nearest is ${nearestName(cell, KINDS).name})`;
  return { finding: { column, expected, came: show(cell), code: 'unknown-kind' } };
}

/** The finding for a row whose kind is not given and cannot be inferred. */
export function noKind(has: ReadonlySet<SpecColumn>): Finding {
  const filled = TELLING.filter((column) => has.has(column));
  const needs = KINDS.map((kind) => `${kind} needs ${ROW_KINDS[kind].required.join(', ')}`).join('; ');
  return {
    column: 'kind',
    expected: `a kind column or --kind, because the cells do not tell the kind: ${needs}`,
    came: filled.length === 0 ? `neither ${TELLING.join(' nor ')}` : `${filled.join(' and ')}: could be several kinds`,
    code: 'no-kind',
  };
}
