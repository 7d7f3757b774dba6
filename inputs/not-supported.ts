import {
  checkedBy,
  makesJob,
  operationOf,
  stepsIn,
  type RowSpec,
  type TtsMode,
  dialectsOf,
  KINDS,
  type StepChoice,
} from '../contract/row-kinds.ts';
import type { Finding } from '../contract/manifest-problems.ts';

/**
 * What is wrong with a row that is to be verified although nothing can be transcribed: the API listens to links only,
 * and only a job gives one. Undefined: nothing is.
 */
export function notVerifiable(spec: RowSpec, tts: TtsMode): Finding | undefined {
  if (spec.verify === undefined) return undefined;
  const checked = stepsIn(spec).flatMap((step) => checkedBy(spec.kind, step) ?? []);
  if (checked.every((step) => makesJob(operationOf(spec, step, tts)))) return undefined;
  const expected =
    'no verification of immediate speech, because the API transcribes links only and immediate speech has none ' +
    '(use --tts job, or leave verify out)';
  return { column: 'verify', expected, came: `verify with --tts ${tts}`, code: 'not-verifiable' };
}

/** What is wrong with a row that the legacy paths lack, where all rows are to use them. */
export function notInLegacy({ kind, verify }: StepChoice): Finding {
  if (verify !== undefined && dialectsOf({ kind }).includes('legacy')) {
    const expected =
      'no verification, because the legacy paths of the API have no transcription (verify needs --api-dialect v1)';
    return { column: 'verify', expected, came: 'verify with --api-dialect legacy', code: 'not-in-dialect' };
  }
  const able = KINDS.filter((one) => dialectsOf({ kind: one }).includes('legacy'));
  const expected = `a kind that the legacy paths of the API have: ${able.join(', ')} (${kind} rows need --api-dialect v1)`;
  return { column: 'kind', expected, came: kind, code: 'not-in-dialect' };
}
