import { expect, it } from '@jest/globals';
import { awaitedWords } from '../../../starters/terminal/row-steps.ts';
import { openWords } from '../../../starters/terminal/status-words.ts';
import { voiceFound } from '../../../client/rows/row-view.ts';

const spec = (voice: string): { kind: 'tts'; voice: string; extra: object } => ({ kind: 'tts', voice, extra: {} });

it.each([
  [{ spec: spec('name:Ada'), voiceRow: 3, awaitedVoice: null }, 'voice "Ada", which row 3 makes'],
  [
    { spec: spec('v-1'), voiceRow: 3, awaitedVoice: 'v-1' },
    'voice v-1, which row 3 makes: it may still be in training',
  ],
  [{ spec: spec('v-1'), voiceRow: null, awaitedVoice: 'v-1' }, 'voice v-1: it may still be in training'],
])('awaitedWords %j', (row, words) => expect(awaitedWords({ ...row, spec: { ...row.spec, extra: {} } })).toBe(words));

it.each<[string, string[], string | undefined]>([
  ['v-1', ['a', ' name:Ada '], 'v-1'],
  ['v-1', ['a', 'v-1'], undefined],
  ['name:Ada', ['a', 'name:Ada'], undefined],
])('voiceFound of %s, where the cells are %j', (voice, input, found) => {
  expect(voiceFound({ spec: { ...spec(voice), extra: {} }, input })).toBe(found);
});

it('openWords says what blocked rows wait for', () => {
  const states = { blocked: 40, waiting: 0, submitting: 8, processing: 0, fetching: 0, verifying: 0 };
  expect(openWords({ states })).toBe('40 blocked (waiting for a voice or for their parts), 8 submitting');
});
