import type { VNode } from 'preact';
import type { ReportHead } from '../../../contract/report.ts';
import { number } from '../format.ts';
import { HeaderCells } from '../header-cells.tsx';

/** What each step was quoted and what it was charged. */
export function Bill({ head: { bill, credits, requests } }: { readonly head: ReportHead }): VNode {
  const estimated = bill.reduce((sum, line) => sum + line.estimated, 0);
  const unquoted = bill.reduce((sum, line) => sum + line.unquoted, 0);
  return (
    <section>
      <h2>Quote and bill</h2>
      <table>
        <thead>
          <tr>
            <HeaderCells
              columns={[
                'Step',
                ['Accepted requests', 'right'],
                ['Quoted', 'right'],
                ['Charged', 'right'],
                ['Difference', 'right'],
              ]}
            />
          </tr>
        </thead>
        <tbody>
          {bill.map((line) => (
            <tr key={line.step}>
              <td>{line.step}</td>
              <td class="right">{number(line.requests)}</td>
              <td class="right">{number(line.quoted)}</td>
              <td class="right">{number(line.charged)}</td>
              <td class="right">{difference(line)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint">
        In credits. {number(requests.sent)} requests were sent
        {requests.repeated > 0 && `, ${number(requests.repeated)} of them because the API had not taken an earlier one`}
        .{unquoted > 0 && ` Besides, ${number(unquoted)} credits were charged for requests without a quote.`}
        {estimated > 0 && ` For ${number(estimated)} the API named no charge, so what we quoted counts as charged.`}
        {credits.uncertain > 0 && ` ${number(credits.uncertain)} more may have been charged.`}
      </p>
    </section>
  );
}

/** Returns charge minus quote with its sign, and as a share of the quote. */
function difference({ quoted, charged }: ReportHead['bill'][number]): string {
  const more = charged - quoted;
  // Credits are shown with two decimals.
  if (Math.abs(more) < 0.005) return '0';
  const share = quoted === 0 ? '' : ` (${more > 0 ? '+' : '−'}${number(Math.abs((100 * more) / quoted))}%)`;
  return `${more > 0 ? '+' : '−'}${number(Math.abs(more))}${share}`;
}
