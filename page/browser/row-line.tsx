import type { ComponentChildren, VNode } from 'preact';
import type { RowLine } from '../protocol.ts';
import { number, seconds } from './format.ts';
import { Heads, type Head } from './heads.tsx';

/** What a row shows in a list. */
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

/** The heads of the columns. `more`: of further ones before the last. */
export function LineHeads({ more = [] }: { readonly more?: readonly Head[] }): VNode {
  return <Heads of={[['#', 'right'], ...COLUMNS, ...more, 'Why']} />;
}

/** The cells of a row. `href`: where the row is shown. */
export function LineCells({
  row,
  href,
  voiceName,
  children,
}: {
  readonly row: ShownRow;
  readonly href: string;
  /** The name of its voice. Default: not known. */
  readonly voiceName?: string | undefined;
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
        {row.take > 1 && <span class="faint"> take {takeWords(row)}</span>}
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

/** `2`, or `1 of 2` for a row that went back to its first take. */
export function takeWords({ take, takeInUse }: Pick<ShownRow, 'take' | 'takeInUse'>): string {
  return takeInUse === take ? number(take) : `${number(takeInUse)} of ${number(take)}`;
}

/** Arrow keys go from row to row. */
export function stepThrough(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const line = (event.target as Element).closest('tr');
  const other = event.key === 'ArrowDown' ? line?.nextElementSibling : line?.previousElementSibling;
  const link = other?.querySelector('a');
  if (link == null) return;
  event.preventDefault();
  link.focus();
}
