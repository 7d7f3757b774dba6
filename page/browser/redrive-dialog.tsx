import type { VNode } from 'preact';
import type { RedriveAnswer, RedrivePrice } from '../protocol.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { number } from './format.ts';

/** Asks whether to send rows again, at the price that it shows. */
export function RedriveDialog({
  batch,
  ids,
  close,
}: {
  readonly batch: string;
  readonly ids: readonly string[];
  /** `isDone`: the rows were sent. */
  readonly close: (isDone: boolean) => void;
}): VNode {
  return (
    <ConfirmDialog<RedriveAnswer>
      title={`Send ${number(ids.length)} ${ids.length === 1 ? 'row' : 'rows'} again`}
      name="redrive"
      body={{ batch, ids }}
      show={({ price }) => <RedriveSummary price={price} />}
      button={({ price }) => redriveLabel(price, 'Do it, free')}
      close={close}
    />
  );
}

/**
 * Returns the label of the button that does a redrive; undefined if the redrive would be refused or do nothing. `free`:
 * the label if nothing is charged.
 */
export function redriveLabel(price: RedrivePrice, free: string): string | undefined {
  if (price.refusal !== null || price.rows === 0) return undefined;
  return price.paying === 0 ? free : `Send again for ${cost(price)}`;
}

function have(count: number): string {
  return count === 1 ? 'has' : 'have';
}

function cost({ credits, estimated }: RedrivePrice): string {
  return `${estimated ? 'about ' : ''}${number(credits)} credits`;
}

/** What a redrive would do and cost. */
export function RedriveSummary({ price }: { readonly price: RedrivePrice }): VNode {
  const { rows, paying, waits, accepts, returns, replaced, unpriced, leftOut: left } = price;
  const lines = [
    paying > 0 && `${number(paying)} paid for again: ${cost(price)}`,
    waits > 0 && `${number(waits)} waited for or fetched again, free`,
    accepts > returns &&
      `${number(accepts - returns)} accepted as ${accepts - returns === 1 ? 'it is' : 'they are'}, free`,
    returns > 0 && `${number(returns)} back to the result of an earlier take, free`,
    unpriced > 0 && `${number(unpriced)} without a known price`,
    replaced > 0 && `${number(replaced)} ${have(replaced)} a result, which is replaced; the old one can be taken back`,
    price.mayBeChargedTwice > 0 && `${number(price.mayBeChargedTwice)} may be charged a second time`,
    left.open > 0 && `${number(left.open)} ${have(left.open)} not ended: left out`,
    left.hasResult > 0 && `${number(left.hasResult)} ${have(left.hasResult)} a result: left out`,
    price.budgetLeft !== null && `${number(price.budgetLeft)} credits of the budget are left`,
  ].filter((line) => line !== false);
  return (
    <>
      {rows === 0 && <p>None of these rows can be sent again.</p>}
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {price.refusal !== null && <p class="trouble">{price.refusal}</p>}
    </>
  );
}
