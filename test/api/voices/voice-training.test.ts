import { expect, it } from '@jest/globals';
import { readTraining } from '../../../api/voices/read-voice.ts';

it.each<[object, true | undefined]>([
  [{ status: 'training' }, true],
  [{ state: 'PROCESSING' }, true],
  [{ status: 'In Progress' }, true],
  [{ training_status: 'queued' }, true],
  [{ trained: false }, true],
  [{ isReady: false }, true],
  [{ status: 'ready', trained: false }, true],
  [{}, undefined],
  [{ status: 'ready' }, undefined],
  [{ status: 'published' }, undefined],
  [{ status: 3, trained: 'no' }, undefined],
  [{ trained: true }, undefined],
])('readTraining %j', (voice, isInTraining) => {
  expect(readTraining([voice as Record<string, unknown>])).toBe(isInTraining);
});
