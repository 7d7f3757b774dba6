import { checkedBy, makesJob, operationOf, stepsIn, type RowSpec, type TtsMode } from '../contract/row-kinds.ts';
import type { Finding } from './problems.ts';

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
