import type { VNode } from 'preact';
import { ACTION_WORDS } from '../../../contract/actions.ts';
import type { ReportHead } from '../../../contract/report.ts';
import { datedMoment, number } from '../format.ts';
import { HeaderCells } from '../header-cells.tsx';

/** Who did what to the batch and why: start, pauses, restarts, further takes. */
export function BatchHistory({ head: { takes, actions } }: { readonly head: ReportHead }): VNode {
  const further = takes.filter(({ take }) => take > 1);
  return (
    <section>
      <h2>Takes and restarts</h2>
      <p>
        {further.length === 0
          ? 'Every row is in its first take.'
          : `${further.map(({ take, rows }) => `${number(rows)} ${rows === 1 ? 'row is' : 'rows are'} in take ${take}`).join(', ')}.`}
      </p>
      {actions.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <HeaderCells
                  columns={['When', 'Who', ['Did what', 'wide'], ['Rows', 'right'], ['Agreed price', 'right'], 'Why']}
                />
              </tr>
            </thead>
            <tbody>
              {actions.map((action, index) => (
                <tr key={index}>
                  <td class="word">{datedMoment(action.at)}</td>
                  <td>{action.who ?? action.by}</td>
                  <td>{ACTION_WORDS[action.kind]}</td>
                  <td class="right">{action.rows === null ? '' : number(action.rows)}</td>
                  <td class="right">{action.credits === null ? '' : number(action.credits)}</td>
                  <td>{action.reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
