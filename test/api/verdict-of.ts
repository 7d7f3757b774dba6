import { expect } from '@jest/globals';
import type { PaidRequest, SpeechApi, Verdict } from '../../api/speech-api.ts';
import { SPEECH_JOB, TOKEN } from '../support/api-server.ts';

/** Sends a paid request, and says how it ended: the verdict, and the class of a failure. The token may be in none of it. */
export async function verdictOf(
  api: SpeechApi,
  signal?: AbortSignal,
  request: PaidRequest = SPEECH_JOB,
): Promise<string> {
  const verdict = await api.send(request, signal === undefined ? {} : { signal });
  expect(JSON.stringify(verdict)).not.toContain(TOKEN);
  return verdictName(verdict);
}

export function verdictName(verdict: Verdict<unknown>): string {
  return 'failure' in verdict ? `${verdict.verdict} ${verdict.failure.class}` : verdict.verdict;
}
