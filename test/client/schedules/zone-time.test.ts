import { expect, it } from '@jest/globals';
import { timeInZone } from '../../../client/schedules/schedule-view.ts';

it.each([
  [Date.UTC(2026, 11, 1, 2), 'UTC', 'Tue 2026-12-01 02:00:00 UTC'],
  [Date.UTC(2026, 11, 1, 2), 'Europe/Berlin', 'Tue 2026-12-01 03:00:00 +01:00'],
  [Date.UTC(2026, 9, 25, 0, 30), 'Europe/Berlin', 'Sun 2026-10-25 02:30:00 +02:00'],
  [Date.UTC(2026, 9, 25, 1, 30), 'Europe/Berlin', 'Sun 2026-10-25 02:30:00 +01:00'],
  [Date.UTC(2026, 11, 1, 5), 'America/New_York', 'Tue 2026-12-01 00:00:00 -05:00'],
  [Date.UTC(2026, 11, 1, 2), 'Australia/Lord_Howe', 'Tue 2026-12-01 13:00:00 +11:00'],
])('a time in a timezone %d in %s is %s', (at, timezone, words) => expect(timeInZone(at, timezone)).toBe(words));
