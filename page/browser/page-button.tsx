import type { VNode } from 'preact';

/** A button that turns to another page of rows; disabled without one. `to`: that page. */
export function PageButton<Page>({
  label,
  to,
  turn,
}: {
  readonly label: string;
  readonly to: Page | undefined;
  readonly turn: (to: Page) => void;
}): VNode {
  return (
    <button
      type="button"
      disabled={to === undefined}
      onClick={() => {
        if (to !== undefined) turn(to);
      }}
    >
      {label}
    </button>
  );
}
