import type { VNode } from 'preact';
import type { ScheduleAnswer } from '../protocol.ts';
import { moment, number } from './format.ts';
import { batchPath } from './location.ts';
import { ask, useAnswer } from './server.ts';

/** The schedules on record, with what became of their latest firings. */
export function ScheduleList(): VNode {
  const { value, trouble } = useAnswer('schedules', (signal) =>
    ask<readonly ScheduleAnswer[]>('schedules', {}, signal),
  );
  return (
    <>
      <h1>Schedules</h1>
      {trouble !== undefined && <p class="trouble">{trouble}</p>}
      {value?.length === 0 && <p>There is no schedule here. Make one: voxbatch schedule create NAME MANIFEST</p>}
      {value?.map((schedule) => (
        <Schedule key={schedule.schedule} {...schedule} />
      ))}
    </>
  );
}

function Schedule({ schedule, times, timezone, month, occurrences }: ScheduleAnswer) {
  return (
    <section>
      <h2>{schedule}</h2>
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
                <th scope="col">Due</th>
                <th scope="col">What became of it</th>
                <th scope="col" class="right">
                  Exit code
                </th>
                <th scope="col" class="right">
                  Charged
                </th>
                <th scope="col">Batch</th>
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
