import { KINDS, ROW_KINDS } from '../contract/row-kinds.ts';
import type { Kind } from '../contract/row-kinds.ts';
import { nearestName } from './nearest-name.ts';
import { show } from './problems.ts';
import type { Finding } from './problems.ts';

/** What a row or a header has of the columns that tell the kinds apart. */
export interface Signature {
  readonly text: boolean;
  readonly audio: boolean;
  readonly video: boolean;
}

/**
 * The one kind that fits: text → `tts`, text and video → `dub`, video and audio → `lip-sync`, audio → `stt`.
 * Undefined where several could be meant (text and audio) or none. The voice does not tell anything apart: it may come
 * from a default, and a row without one is told so.
 */
export function inferKind({ text, audio, video }: Signature): Kind | undefined {
  if (text && !audio) return video ? 'dub' : 'tts';
  if (audio && !text) return video ? 'lip-sync' : 'stt';
  return undefined;
}

/** The kind that a `kind` cell or `--kind` names. */
export function parseKind(cell: string, column: string): { kind: Kind } | { finding: Finding } {
  const kind = KINDS.find((known) => known === cell);
  if (kind !== undefined) return { kind };
  const expected = `one of ${KINDS.join(', ')} (the nearest is ${nearestName(cell, KINDS).name})`;
  return { finding: { column, expected, came: show(cell), code: 'unknown-kind' } };
}

/** The finding for a row whose kind is not given and cannot be inferred. */
export function noKind(signature: Signature): Finding {
  const filled = Object.entries(signature).flatMap(([column, there]) => (there ? [column] : []));
  const needs = KINDS.map((kind) => `${kind} needs ${ROW_KINDS[kind].required.join(', ')}`).join('; ');
  return {
    column: 'kind',
    expected: `a kind column or --kind where the cells do not tell: ${needs}`,
    came: filled.length === 0 ? 'neither text nor audio nor video' : `${filled.join(' and ')}: could be several kinds`,
    code: 'no-kind',
  };
}
