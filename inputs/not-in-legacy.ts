import { dialectsOf, KINDS, type Kind } from '../contract/row-kinds.ts';
import type { Finding } from './problems.ts';

/** What is wrong with a row of a kind that the legacy paths lack, where all rows are to use them. */
export function notInLegacy(kind: Kind): Finding {
  const able = KINDS.filter((one) => dialectsOf(one).includes('legacy'));
  const expected = `a kind that the legacy paths of the API have: ${able.join(', ')} (${kind} rows need --api-dialect v1)`;
  return { column: 'kind', expected, came: kind, code: 'not-in-dialect' };
}
