import type { RowSpec } from '../../contract/row-kinds.ts';
import type { FaultPlan } from '../../simulator/fault-plan.ts';
import type { SpoiltSpeech } from '../../simulator/spoil-speech.ts';
import { tts } from './rows.ts';

/** A text whose speech can lack a sentence. */
export const TEXT =
  'The harbour was quiet that night. Nobody heard the small boat come in. In the morning it was gone again.';

/** The row with this text, and its speech verified. */
export const verified = (spec: RowSpec = tts()): RowSpec => ({ ...spec, text: TEXT, verify: 0.25 });

/** A rule by which the next speech, or so many of them, is bad in this way. */
export const speaks = (as: SpoiltSpeech, times = 1): NonNullable<FaultPlan['rules']>[number] => ({
  on: 'create',
  operation: 'speech-job',
  fault: { kind: 'speaks', as },
  times,
});
