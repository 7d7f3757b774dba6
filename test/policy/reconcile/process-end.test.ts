import { expect, it } from '@jest/globals';
import { foundInStore, isProcessEnd, PROCESS_ENDED } from '../../../policy/reconcile/process-end.ts';

it.each([
  ['by the end of a process', PROCESS_ENDED, true],
  ['with the ledger, before a restore', foundInStore({ key: 'b/1-speech-1.mp3', writtenAt: 0 }), true],
  ['on the wire', { class: 'OutcomeUnknown', cause: 'time-out from POST /speech/tts' }, false],
  ['without a cause', { class: 'OutcomeUnknown' }, false],
  ['of another class', { class: 'JobFailed', cause: PROCESS_ENDED.cause }, false],
] as const)('an answer that was lost %s', (_, failure, is) => expect(isProcessEnd(failure)).toBe(is));
