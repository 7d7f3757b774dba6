import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActionAnswer } from '../protocol.ts';
import { useAction } from './api-client.ts';

/**
 * A dialog that shows what an action would do, and does exactly that when the user confirms. It posts `NAME-check` for
 * an answer to show, then `NAME` with the signature of that answer. If the server answers with a new signature instead
 * of doing it, something has changed meanwhile, and the dialog shows the new answer.
 */
export function ConfirmDialog<Answer extends { readonly type: string; readonly signature: string }>({
  title,
  name,
  body,
  show,
  button,
  close,
}: {
  readonly title: string;
  /** The path of the POST. */
  readonly name: 'redrive' | 'settle';
  readonly body: object;
  /** Renders what the action would do. */
  readonly show: (answer: Answer) => ComponentChildren;
  /** Returns the label of the confirming button; undefined if the action would be refused. */
  readonly button: (answer: Answer) => string | undefined;
  /** `isDone`: the action was done. */
  readonly close: (isDone: boolean) => void;
}): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [shown, setShown] = useState<Answer>();
  const [output, setOutput] = useState<readonly string[]>();
  const [note, setNote] = useState('');
  const { isBusy, post } = useAction<Answer | ActionAnswer>(true);
  const send = (path: string, more: object): void => {
    const answered = (answer: Answer | ActionAnswer): void => {
      if (isDone(answer)) {
        setShown(undefined);
        setOutput(answer.lines);
        setNote('');
      } else {
        setNote(path === name ? 'Something has changed since. This is how it stands now:' : '');
        setShown(answer);
      }
    };
    post(path, { ...body, ...more }, answered, setNote);
  };
  useEffect(() => {
    dialog.current?.showModal();
    send(`${name}-check`, {});
  }, []);
  const label = shown && button(shown);
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-label={title}
      onClose={() => {
        close(output !== undefined);
      }}
    >
      <h2>{title}</h2>
      {note !== '' && <p class="trouble">{note}</p>}
      {shown !== undefined && show(shown)}
      {shown === undefined && isBusy && <p class="faint">Reading what it means …</p>}
      {output !== undefined && <CommandOutput lines={output} />}
      <div class="turn">
        {label !== undefined && (
          <button
            type="button"
            class="main"
            disabled={isBusy}
            onClick={() => {
              send(name, { signature: shown?.signature });
            }}
          >
            {label}
          </button>
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          {output === undefined ? 'Not now' : 'Close'}
        </button>
      </div>
    </dialog>
  );
}

function isDone(answer: { readonly type: string }): answer is ActionAnswer {
  return answer.type === 'done';
}

/** The lines that a command printed. */
export function CommandOutput({ lines }: { readonly lines: readonly string[] }): VNode {
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
