import { expect, it } from '@jest/globals';
import { noLedgerAdvice } from '../../starters/exit-error.ts';

it.each([
  ['/home/ann/.voxbatch/ledger.db', 'Start one: voxbatch run MANIFEST (or go to the folder where you ran it)'],
  [
    'postgres://ann:secret@db/voxbatch',
    'Start one: voxbatch run MANIFEST (or check VOXBATCH_LEDGER, which is postgres://ann@db/voxbatch)',
  ],
])('where there is no batch, the place to look for them is named: %s', (ledger, words) => {
  expect(noLedgerAdvice(ledger)).toBe(words);
});
