import type { ComponentChildren, VNode } from 'preact';
import type { ReasonFigures } from '../../contract/batch-figures.ts';
import { number } from './format.ts';
import { HeaderCells } from './header-cells.tsx';

interface ReasonTableProps<R extends ReasonFigures> {
  /** The CSS class of the section. */
  readonly class: string;
  readonly reasons: readonly R[];
  /** Returns the URL that filters the rows with this reason. */
  readonly linkTo: (reason: R) => string;
  /** Renders the cell of a column of examples. Default: no such column. */
  readonly examplesOf?: (reason: R) => ComponentChildren;
  /** Renders what is below a reason. Default: nothing. */
  readonly below?: (reason: R) => ComponentChildren;
  /** Below the table, such as how many reasons are not listed. */
  readonly children: ComponentChildren;
}

/** Why rows have no result: a line for each reason, with a link to its rows. */
export function ReasonTable<R extends ReasonFigures>({
  class: name,
  reasons,
  linkTo,
  examplesOf,
  below,
  children,
}: ReasonTableProps<R>): VNode {
  return (
    <section class={name}>
      <h2>Why rows have no result</h2>
      <table>
        <thead>
          <tr>
            <HeaderCells
              columns={[
                'Reason',
                'Rows are',
                ['Rows', 'right'],
                ...(examplesOf === undefined ? [] : [['Examples', 'wide'] as const]),
              ]}
            />
          </tr>
        </thead>
        <tbody>
          {reasons.map((reason) => (
            <tr key={`${reason.standing} ${reason.class} ${reason.cause}`}>
              <td>
                <a href={linkTo(reason)}>{reason.class}</a> <span class="faint">{reason.cause}</span>
                {below?.(reason)}
              </td>
              <td>{reason.standing}</td>
              <td class="right">{number(reason.rows)}</td>
              {examplesOf !== undefined && <td>{examplesOf(reason)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </section>
  );
}
