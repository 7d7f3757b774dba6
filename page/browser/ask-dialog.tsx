import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActionAnswer } from '../protocol.ts';
import { post } from './server.ts';

/** Asks before something is done: what it means as things stand now, and a button that does that and nothing else. */
export function AskDialog<Answer extends { readonly type: string; readonly signature: string }>({
  title,
  name,
  body,
  show,
  button,
  close,
}: {
  readonly title: string;
  /** Of the post; `NAME-check` says what it would do. */
  readonly name: 'redrive' | 'settle';
  readonly body: object;
  readonly show: (answer: Answer) => ComponentChildren;
  /** The words of the button; undefined: it would be refused. */
  readonly button: (answer: Answer) => string | undefined;
  /** `isDone`: it was done. */
  readonly close: (isDone: boolean) => void;
}): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, setAsked] = useState<Answer>();
  const [said, setSaid] = useState<readonly string[]>();
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(true);
  const ask = (path: string, more: object): void => {
    setBusy(true);
    post<Answer | ActionAnswer>(path, { ...body, ...more })
      .then(
        (told) => {
          if (isDone(told)) {
            setAsked(undefined);
            setSaid(told.lines);
            setNote('');
          } else {
            setNote(path === name ? 'Something has changed since. This is how it stands now:' : '');
            setAsked(told);
          }
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
    ask(`${name}-check`, {});
  }, []);
  const words = asked && button(asked);
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-label={title}
      onClose={() => {
        close(said !== undefined);
      }}
    >
      <h2>{title}</h2>
      {note !== '' && <p class="trouble">{note}</p>}
      {asked !== undefined && show(asked)}
      {asked === undefined && isBusy && <p class="faint">Reading what it means …</p>}
      {said !== undefined && <Said lines={said} />}
      <div class="turn">
        {words !== undefined && (
          <button
            type="button"
            class="main"
            disabled={isBusy}
            onClick={() => {
              ask(name, { signature: asked?.signature });
            }}
          >
            {words}
          </button>
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          {said === undefined ? 'Not now' : 'Close'}
        </button>
      </div>
    </dialog>
  );
}

function isDone(told: { readonly type: string }): told is ActionAnswer {
  return told.type === 'done';
}

/** What a command said. */
export function Said({ lines }: { readonly lines: readonly string[] }): VNode {
  return (
    <div role="status">
      {lines.map((line) => (
        <p key={line} class="said">
          {line}
        </p>
      ))}
    </div>
  );
}
