import type { VNode } from 'preact';
import type { ReportHead } from '../../../contract/report.ts';
import { filterOf, number } from '../format.ts';
import { ReasonTable } from '../reason-table.tsx';
import { linkTo } from './address.ts';

/** Why rows have no result, most rows first, with examples. */
export function Failures({ head }: { readonly head: ReportHead }): VNode | null {
  const { failures, otherFailures } = head;
  if (failures.length === 0) return null;
  return (
    <ReasonTable
      class="failures"
      reasons={failures}
      linkTo={({ standing, class: name }) => linkTo({ outcome: filterOf(standing), class: name, row: undefined })}
      examplesOf={({ examples }) =>
        examples.map(({ id, message }) => (
          <p key={id} class="example">
            <a href={linkTo({ row: id })}>{id}</a> <span class="faint">{message}</span>
          </p>
        ))
      }
    >
      {otherFailures > 0 && <p class="faint">and {number(otherFailures)} rows for other reasons</p>}
    </ReasonTable>
  );
}
