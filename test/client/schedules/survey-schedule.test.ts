import { describe, expect, it } from '@jest/globals';
import type { ScheduleDescription } from '@temporalio/client';
import { checkSchedules, listSchedules } from '../../../client/schedules/schedule-view.ts';
import type { OpenSchedules } from '../../../client/schedules/open-schedules.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import type { WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';
import { freshPlace } from '../../support/place.ts';
import { pretendSchedules } from '../../support/schedule-server.ts';
import { settle, specOf } from '../../support/schedule-on-record.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const place = freshPlace();

/** Whole, so that it may be a due time of a schedule that is due each second. */
const NOW = Math.floor(Date.now() / SECOND) * SECOND;

/** A server whose schedule was due at these times, and fired at each; all of its firings are over. */
function serverOf(due: readonly number[], state: Partial<ScheduleDescription['state']>): OpenSchedules {
  return pretendSchedules(place.ledger, { due, state });
}

/** Made long ago, and looked at ten minutes ago. */
async function make(written: WrittenSpec = {}): Promise<void> {
  await settle(place.ledger, 'nightly', { spec: specOf({ every: '1s', ...written }) });
  await place.ledger.noteSkips('nightly', { skipped: [], until: NOW - 10 * MINUTE });
}

async function seen(server: OpenSchedules): Promise<readonly unknown[]> {
  const [check] = (await checkSchedules(server, { name: 'nightly', since: 0, isPauseFine: true })).schedules;
  if (check?.lost !== false) throw new Error('lost');
  return check.occurrences.map(({ at, state, cause, reason, amiss }) => [
    Date.parse(at) - NOW,
    state,
    cause,
    reason,
    amiss,
  ]);
}

describe('a schedule that is paused here, and resumed by others in Temporal', () => {
  const STATE = { paused: false, note: 'resumed by ops' };
  const PAUSED = 'The schedule was paused: maintenance by Ada';

  it('was paused at each of its due times, for the reason that was given here; what was refused then is no failure', async () => {
    await make();
    await place.ledger.setScheduleHooks('nightly', { onEnd: 'true' });
    await place.ledger.pauseFirings('nightly', NOW - 5 * MINUTE, 'maintenance by Ada');
    // The second is within the slack that a firing has for clocks, and the first was due before.
    const due = [NOW - 6 * MINUTE, NOW - 5 * MINUTE + SECOND, NOW - MINUTE];
    expect(await seen(serverOf(due, STATE))).toEqual([
      [-MINUTE, 'skipped', 'paused', PAUSED, false],
      [-5 * MINUTE + SECOND, 'skipped', 'paused', PAUSED, false],
      [-6 * MINUTE, 'failed', null, 'Its firing was ended from outside before it made a batch.', true],
    ]);
    const told = due.map((at) => place.ledger.noticesOf(formatOccurrence({ schedule: 'nightly', at })));
    expect((await Promise.all(told)).map(({ length }) => length)).toEqual([1, 0, 0]);
  });

  it('is listed as paused, with that reason', async () => {
    await make();
    await place.ledger.pauseFirings('nightly', NOW - 5 * MINUTE, 'maintenance by Ada');
    expect(await listSchedules(serverOf([], STATE))).toMatchObject([{ paused: true, note: 'maintenance by Ada' }]);
    await place.ledger.resumeFirings('nightly', NOW - MINUTE, 'go on');
    expect(await listSchedules(serverOf([], STATE))).toMatchObject([{ paused: false, note: 'go on' }]);
  });
});

it('the note of a schedule is that of Temporal, if that paused it after a failure', async () => {
  await make();
  await place.ledger.resumeFirings('nightly', NOW - MINUTE, 'go on');
  const server = serverOf([], { paused: true, note: 'paused due to workflow failure: x' });
  expect(await listSchedules(server)).toMatchObject([{ paused: true, note: 'an occurrence failed' }]);
});

it('a schedule without a run left, of which others gave Temporal more, was not due any more: what was refused leaves no line', async () => {
  await make({ runs: 1 });
  const taken = { schedule: 'nightly', at: NOW - 8 * MINUTE };
  await place.ledger.beginOccurrence(taken);
  await place.ledger.endOccurrence(taken, { type: 'ended', exit: 'complete' });
  const server = serverOf([NOW - MINUTE], { remainingActions: 5 });
  expect((await seen(server)).map((one) => (one as readonly unknown[])[0])).toEqual([-8 * MINUTE]);
});
