import type { Standstill } from '../../batches/look/standstill.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';

/** Why a batch makes no progress, for people, with what to do. */
export function standstillWords(standstill: Standstill, { apiUrl }: Pick<BatchRecord, 'apiUrl'>): string {
  switch (standstill) {
    case 'no-worker':
      return 'No worker polls this queue. Start one with the same settings and token: voxbatch worker';
    case 'no-answer':
      return `The API at ${apiUrl} does not answer, or only with errors. voxbatch keeps trying. To find out why: voxbatch doctor`;
  }
}
