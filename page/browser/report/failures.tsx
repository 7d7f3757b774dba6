import type { VNode } from 'preact';
import type { ReportHead } from '../../../contract/report.ts';
import { filterOf, number } from '../format.ts';
import { linkTo } from './address.ts';

/** Why rows have no result, most rows first, with examples. */
export function Failures({ head }: { readonly head: ReportHead }): VNode | null {
  const { failures, otherFailures } = head;
  if (failures.length === 0) return null;
  return (
    <section class="failures">
      <h2>Why rows have no result</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col">Rows are</th>
            <th scope="col" class="right">
              Rows
            </th>
            <th scope="col" class="wide">
              Examples
            </th>
          </tr>
        </thead>
        <tbody>
          {failures.map(({ standing, class: name, cause, rows, examples }) => (
            <tr key={`${standing} ${name} ${cause}`}>
              <td>
                <a href={linkTo({ outcome: filterOf(standing), class: name, row: undefined })}>{name}</a>{' '}
                <span class="faint">{cause}</span>
              </td>
              <td>{standing}</td>
              <td class="right">{number(rows)}</td>
              <td>
                {examples.map(({ id, message }) => (
                  <p key={id} class="example">
                    <a href={linkTo({ row: id })}>{id}</a> <span class="faint">{message}</span>
                  </p>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {otherFailures > 0 && <p class="faint">and {number(otherFailures)} rows for other reasons</p>}
    </section>
  );
}
