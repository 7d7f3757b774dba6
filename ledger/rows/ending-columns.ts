import type { Failure } from '../../contract/failures.ts';
import { jsonOrNull } from '../records.ts';
import type { RowEnding } from './row-effects.ts';

/** The columns of a row that ends. */
export function endingColumns(
  effect: RowEnding,
  now: number,
): {
  outcome: RowEnding['outcome'];
  failure: Failure | null;
  file: string | null;
  extra_files: string | null;
  text: string | null;
  updated_at: number;
  ended_at: number;
} {
  return {
    outcome: effect.outcome,
    failure: effect.failure ?? null,
    file: jsonOrNull(effect.file),
    extra_files: jsonOrNull(effect.extraFiles),
    text: effect.text ?? null,
    updated_at: now,
    ended_at: now,
  };
}
