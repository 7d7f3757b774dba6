import { expect, it } from '@jest/globals';
import { occurrenceMessage } from '../../../client/hooks/notice-content.ts';

const AT = Date.UTC(2026, 11, 1, 2);
const RECORD = {
  at: AT,
  state: 'failed',
  exit: null,
  cause: null,
  endedAt: AT,
  etag: null,
  isUnchanged: null,
  out: null,
} as const;

it.each([
  [
    'Cannot read the manifest https://sheets.example/d/e/2PACX-secret/pub: the server answered 404. Nothing was spent.',
    'Cannot read the manifest sheets.example: the server answered 404. Nothing was spent.',
  ],
  [
    'The manifest http://127.0.0.1:8080/secret.csv has a problem; the first is in line 2: expected a text.',
    'The manifest 127.0.0.1:8080 has a problem; the first is in line 2: expected a text.',
  ],
  ['No file matches /data/drop/*.csv. Nothing was spent.', 'No file matches /data/drop/*.csv. Nothing was spent.'],
])('tells of a URL only its host: %s', (reason, told) => {
  const notice = { id: 'n1', batch: 'nightly.2026-12-01T02-00-00Z', madeAt: AT };
  const message = occurrenceMessage(notice, { schedule: 'nightly', at: AT }, { ...RECORD, reason });
  expect(message?.data.reason).toBe(told);
  expect(message?.text).toContain(told);
  expect(JSON.stringify(message)).not.toContain('secret');
});
