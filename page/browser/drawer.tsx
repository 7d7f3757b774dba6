import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A dialog at the side of the page that shows a row; a click outside closes it. */
export function Drawer({
  id,
  standing,
  close,
  children,
}: {
  readonly id: string;
  /** Its outcome or state, once it is known. */
  readonly standing: string | undefined;
  readonly close: () => void;
  readonly children: ComponentChildren;
}): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-label={`Row ${id}`}
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="inside">
        <div class="title">
          <h2>{id}</h2>
          {standing !== undefined && <span class="pill">{standing}</span>}
          <button type="button" class="end" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
