import type { VNode } from 'preact';

/** The label of a table's column, alone or with the column's CSS class. */
export type ColumnHead = string | readonly [label: string, className: 'right' | 'wide'];

/** The header cells of a table. */
export function HeaderCells({ columns }: { readonly columns: readonly ColumnHead[] }): VNode {
  return (
    <>
      {columns.map((column) => {
        const [label, className] = typeof column === 'string' ? [column] : column;
        return (
          <th key={label} scope="col" class={className}>
            {label}
          </th>
        );
      })}
    </>
  );
}
