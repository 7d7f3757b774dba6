import type { VNode } from 'preact';
import type { ScheduleAnswer, ScheduleStatesAnswer } from '../protocol.ts';
import { moment, number } from './format.ts';
import { batchPath } from './location.ts';
import { fetchAnswer, useAnswer, useTicks } from './api-client.ts';
import { HeaderCells } from './header-cells.tsx';

const POLL_INTERVAL_MS = 15_000;

/** The schedules of the ledger, with the results of their latest firings. */
export function ScheduleList(): VNode {
  const tick = useTicks(POLL_INTERVAL_MS);
  const { value, trouble } = useAnswer(
    'schedules',
    (signal) => fetchAnswer<readonly ScheduleAnswer[]>('schedules', {}, signal),
    tick,
  );
  // Asked after the ledger's answer, since Temporal may take long or not answer at all.
  const { value: temporal } = useAnswer(
    value && 'states',
    (signal) => fetchAnswer<ScheduleStatesAnswer>('schedule-states', {}, signal),
    tick,
  );
  return (
    <>
      <h1>Schedules</h1>
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      {value?.length === 0 && <p>There is no schedule here. Make one: voxbatch schedule create NAME MANIFEST</p>}
      {temporal?.problem != null && (
        <p class="trouble">When they fire next is not known, and only what is on record is shown: {temporal.problem}</p>
      )}
      {value?.map((schedule) => (
        <Schedule
          key={schedule.schedule}
          {...schedule}
          state={temporal?.states.find((known) => known.schedule === schedule.schedule)}
          isLoading={temporal === undefined}
        />
      ))}
    </>
  );
}

type ScheduleState = ScheduleStatesAnswer['states'][number];

interface ScheduleProps extends ScheduleAnswer {
  /** Its state in Temporal; undefined if it is not known. */
  readonly state: ScheduleState | undefined;
  /** Whether Temporal has not answered yet. */
  readonly isLoading: boolean;
}

function Schedule({ state, isLoading, ...record }: ScheduleProps) {
  const { schedule, times, timezone, month, occurrences } = record;
  const { paused, note } = state ?? record;
  const pausedOrActive = paused ? 'paused' : 'active';
  return (
    <section>
      <div class="title">
        <h2>{schedule}</h2>
        <span class="pill">{state?.lost === true ? 'lost' : pausedOrActive}</span>
        <span class="faint">{note}</span>
      </div>
      <p>{nextFiring(schedule, paused, state, isLoading)}</p>
      <p class="faint">
        {times}, {timezone}
        {month !== null && `; ${number(month.left)} of ${number(month.credits)} credits left in ${month.month}`}
      </p>
      {occurrences.length === 0 ? (
        <p>It has not fired yet.</p>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <HeaderCells
                  columns={['Due', 'What became of it', ['Exit code', 'right'], ['Charged', 'right'], 'Batch']}
                />
              </tr>
            </thead>
            <tbody>
              {occurrences.map(({ at, state: outcome, reason, exitCode, charged, batch }) => (
                <tr key={at}>
                  <td>{moment(at)}</td>
                  <td>
                    {outcome} <span class="faint">{reason}</span>
                  </td>
                  <td class="right">{exitCode}</td>
                  <td class="right">{charged === null ? '' : number(charged)}</td>
                  <td>{charged === null ? '' : <a href={batchPath(batch)}>{batch}</a>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** Returns when the schedule fires next; empty if Temporal cannot be asked. */
function nextFiring(schedule: string, isPaused: boolean, state: ScheduleState | undefined, isLoading: boolean): string {
  if (state?.lost === true) return `Temporal does not know it any more. See: voxbatch schedule show ${schedule}`;
  if (isPaused) return 'It does not fire while it is paused.';
  if (state === undefined) return isLoading ? 'Asking Temporal when it fires next …' : '';
  if (state.next === null) return 'It does not fire any more.';
  return `It fires next ${moment(state.next)}.`;
}
