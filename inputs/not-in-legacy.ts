import { dialectsOf, KINDS, type StepChoice } from '../contract/row-kinds.ts';
import type { Finding } from './problems.ts';

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
