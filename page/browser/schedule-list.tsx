import type { VNode } from 'preact';
import type { ScheduleAnswer, StandingsAnswer } from '../protocol.ts';
import { moment, number } from './format.ts';
import { batchPath } from './location.ts';
import { ask, useAnswer, useTicks } from './server.ts';
import { Heads } from './heads.tsx';

const LOOK_EVERY_MS = 15_000;

/** The schedules on record, with what became of their latest firings. */
export function ScheduleList(): VNode {
  const tick = useTicks(LOOK_EVERY_MS);
  const { value, trouble } = useAnswer(
    'schedules',
    (signal) => ask<readonly ScheduleAnswer[]>('schedules', {}, signal),
    tick,
  );
  const { value: there } = useAnswer(
    value && 'standings',
    (signal) => ask<StandingsAnswer>('schedule-standings', {}, signal),
    tick,
  );
  return (
    <>
      <h1>Schedules</h1>
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      {value?.length === 0 && <p>There is no schedule here. Make one: voxbatch schedule create NAME MANIFEST</p>}
      {there?.away != null && (
        <p class="trouble">When they fire next is not known, and only what is on record is shown: {there.away}</p>
      )}
      {value?.map((schedule) => (
        <Schedule
          key={schedule.schedule}
          {...schedule}
          standing={there?.standings.find((one) => one.schedule === schedule.schedule)}
          isAsked={there === undefined}
        />
      ))}
    </>
  );
}

interface Shown extends ScheduleAnswer {
  /** As Temporal has it; undefined: that is not known. */
  readonly standing: StandingsAnswer['standings'][number] | undefined;
  /** Temporal was asked, and has not answered yet. */
  readonly isAsked: boolean;
}

function Schedule({ standing, isAsked, ...record }: Shown) {
  const { schedule, times, timezone, month, occurrences } = record;
  const { paused, note } = standing ?? record;
  return (
    <section>
      <div class="title">
        <h2>{schedule}</h2>
        <span class="pill">{standing?.lost === true ? 'lost' : paused ? 'paused' : 'active'}</span>
        <span class="faint">{note}</span>
      </div>
      <p>
        {standing?.lost === true
          ? `Temporal does not know it any more. See: voxbatch schedule show ${schedule}`
          : paused
            ? 'It does not fire while it is paused.'
            : standing === undefined
              ? isAsked && 'Asking Temporal when it fires next …'
              : standing.next === null
                ? 'It does not fire any more.'
                : `It fires next ${moment(standing.next)}.`}
      </p>
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
                <Heads of={['Due', 'What became of it', ['Exit code', 'right'], ['Charged', 'right'], 'Batch']} />
              </tr>
            </thead>
            <tbody>
              {occurrences.map((one) => (
                <tr key={one.at}>
                  <td>{moment(one.at)}</td>
                  <td>
                    {one.state} <span class="faint">{one.reason}</span>
                  </td>
                  <td class="right">{one.exitCode}</td>
                  <td class="right">{one.charged === null ? '' : number(one.charged)}</td>
                  <td>{one.charged === null ? '' : <a href={batchPath(one.batch)}>{one.batch}</a>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
