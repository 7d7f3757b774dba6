import type { VNode } from 'preact';
import type { RowAnswer } from '../protocol.ts';
import { moment, number } from './format.ts';
import { HeaderCells } from './header-cells.tsx';

/** The paid requests of a row, in order. */
export function Requests({ row }: { readonly row: RowAnswer }): VNode {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <HeaderCells columns={['Sent', 'Step', 'Answer', ['Quoted', 'right'], ['Charged', 'right'], 'Job']} />
          </tr>
        </thead>
        <tbody>
          {row.attempts.map((attempt) => (
            <tr key={`${attempt.step} ${attempt.take} ${attempt.attempt}`}>
              <td>{moment(attempt.intent_at)}</td>
              <td>
                {attempt.step}
                <span class="faint">
                  {attempt.take > 1 && ` take ${attempt.take}`}
                  {attempt.attempt > 1 && ` try ${attempt.attempt}`}
                </span>
              </td>
              <td>
                {attempt.verdict}
                {attempt.failure !== null && <span class="faint"> {attempt.failure.message}</span>}
              </td>
              <td class="right">{attempt.quoted === null ? '' : number(attempt.quoted)}</td>
              <td class="right">{attempt.charged === null ? '' : number(attempt.charged)}</td>
              <td class="id">{attempt.job_id ?? attempt.request_id ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
