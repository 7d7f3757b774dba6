import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActionAnswer, RedriveAnswer, RedrivePrice } from '../protocol.ts';
import { number } from './format.ts';
import { post } from './server.ts';

/** Sends rows again, at the price that is shown before. */
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
  const dialog = useRef<HTMLDialogElement>(null);
  const [answer, setAnswer] = useState<RedriveAnswer | ActionAnswer>();
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(true);
  const ask = (name: string, more: object): void => {
    setBusy(true);
    post<RedriveAnswer | ActionAnswer>(name, { batch, ids, ...more })
      .then(
        (told) => {
          setNote(
            name === 'redrive' && told.type === 'price'
              ? 'Something has changed since. This is how it stands now:'
              : '',
          );
          setAnswer(told);
        },
        (error: unknown) => {
          setNote((error as Error).message);
        },
      )
      .finally(() => {
        setBusy(false);
      });
  };
  useEffect(() => {
    dialog.current?.showModal();
    ask('redrive-check', {});
  }, []);
  const isDone = answer?.type === 'done';
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-label="Send rows again"
      onClose={() => {
        close(isDone);
      }}
    >
      <h2>
        Send {number(ids.length)} {ids.length === 1 ? 'row' : 'rows'} again
      </h2>
      {note !== '' && <p class="trouble">{note}</p>}
      {answer?.type === 'price' && <Price price={answer.price} />}
      {answer === undefined && isBusy && <p class="faint">Reading the price …</p>}
      {isDone && answer.lines.map((line) => <p key={line}>{line}</p>)}
      <div class="turn">
        {answer?.type === 'price' && answer.price.refusal === null && answer.price.rows > 0 && (
          <button
            type="button"
            class="main"
            disabled={isBusy}
            onClick={() => {
              ask('redrive', { signature: answer.signature });
            }}
          >
            {answer.price.paying === 0 ? 'Do it, free' : `Send again for ${cost(answer.price)}`}
          </button>
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          {isDone ? 'Close' : 'Not now'}
        </button>
      </div>
    </dialog>
  );
}

function have(count: number): string {
  return count === 1 ? 'has' : 'have';
}

function cost({ credits, estimated }: RedrivePrice): string {
  return `${estimated ? 'about ' : ''}${number(credits)} credits`;
}

function Price({ price }: { readonly price: RedrivePrice }) {
  const { rows, paying, waits, replaced, unpriced, leftOut: left } = price;
  const lines = [
    paying > 0 && `${number(paying)} paid for again: ${cost(price)}`,
    waits > 0 && `${number(waits)} waited for or fetched again, free`,
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
