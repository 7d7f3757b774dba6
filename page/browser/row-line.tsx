import type { ComponentChildren, VNode } from 'preact';
import type { RowLine } from '../protocol.ts';
import { number, seconds } from './format.ts';
import { HeaderCells, type ColumnHead } from './header-cells.tsx';

/** The parts of a row that a list shows; a live batch and a report both have them. */
export type ShownRow = Pick<
  RowLine,
  | 'row'
  | 'id'
  | 'outcome'
  | 'state'
  | 'take'
  | 'takeInUse'
  | 'voice'
  | 'text'
  | 'seconds'
  | 'quoted'
  | 'failure'
  | 'oddity'
>;

const COLUMNS = ['Id', 'Outcome', 'Voice', ['Text', 'wide'], ['Length', 'right'], ['Quoted', 'right']] as const;

/** The header cells of a list of rows. `more`: additional columns before the last. */
export function LineHeaders({ more = [] }: { readonly more?: readonly ColumnHead[] }): VNode {
  return <HeaderCells columns={[['#', 'right'], ...COLUMNS, ...more, 'Why']} />;
}

/** The cells of a row. */
export function LineCells({
  row,
  href,
  voiceName,
  children,
}: {
  readonly row: ShownRow;
  /** The URL of the row's drawer. */
  readonly href: string;
  /** Default: the voice's id is shown. */
  readonly voiceName?: string | undefined;
  /** The cells of additional columns. */
  readonly children?: ComponentChildren;
}): VNode {
  const word = row.outcome ?? row.state ?? '';
  const why = row.failure?.message ?? row.oddity ?? '';
  return (
    <>
      <td class="right faint">{number(row.row)}</td>
      <td class="id">
        <a href={href}>{row.id}</a>
      </td>
      <td class="word">
        <i class={`dot back-${row.outcome ?? 'open'}`} />
        {word}
        {row.take > 1 && <span class="faint"> take {formatTake(row)}</span>}
      </td>
      <td title={row.voice ?? ''}>{voiceName ?? row.voice}</td>
      <td class="text" title={row.text}>
        {row.text}
      </td>
      <td class="right">{seconds(row.seconds)}</td>
      <td class="right">{row.quoted === null ? '' : number(row.quoted)}</td>
      {children}
      <td class="text" title={why}>
        {why}
      </td>
    </>
  );
}

/** Returns `2`, or `1 of 2` for a row that went back to its first take. */
export function formatTake({ take, takeInUse }: Pick<ShownRow, 'take' | 'takeInUse'>): string {
  return takeInUse === take ? number(take) : `${number(takeInUse)} of ${number(take)}`;
}

/** Moves the focus to the next or previous row's link on an arrow key. */
export function moveFocusOnArrowKey(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const line = (event.target as Element).closest('tr');
  const other = event.key === 'ArrowDown' ? line?.nextElementSibling : line?.previousElementSibling;
  const link = other?.querySelector('a');
  if (link == null) return;
  event.preventDefault();
  link.focus();
}
