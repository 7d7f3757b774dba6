import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../command-context.ts';
import { say, type SpeechFlags } from '../single/say.ts';

/** `voxbatch voices preview VOICE TEXT`: speaks a text with a voice. It is the job that `say` with this voice is. */
export function previewVoice(voice: string, text: string, flags: SpeechFlags, context: RunContext): Promise<ExitName> {
  return say(text, { ...flags, voice }, context, 'voices preview');
}
