import type { ComponentChildren, VNode } from 'preact';
import type { ReasonFigures } from '../../contract/batch-figures.ts';
import { number } from './format.ts';
import { Heads } from './heads.tsx';

interface Reasons<R extends ReasonFigures> {
  /** Of the section, for its style. */
  readonly class: string;
  readonly reasons: readonly R[];
  /** The address of the rows that have this reason. */
  readonly linkTo: (reason: R) => string;
  /** What stands in a column of examples. Default: there is none. */
  readonly examplesOf?: (reason: R) => ComponentChildren;
  /** What stands below a reason. Default: nothing. */
  readonly below?: (reason: R) => ComponentChildren;
  /** What is not listed. */
  readonly children: ComponentChildren;
}

/** A line for each reason, with a link to its rows. */
export function ReasonTable<R extends ReasonFigures>({
  class: name,
  reasons,
  linkTo,
  examplesOf,
  below,
  children,
}: Reasons<R>): VNode {
  return (
    <section class={name}>
      <h2>Why rows have no result</h2>
      <table>
        <thead>
          <tr>
            <Heads
              of={[
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
