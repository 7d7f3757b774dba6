import type { VNode } from 'preact';

/** The head of a column: its words, alone or with the class of the column. */
export type Head = string | readonly [words: string, name: 'right' | 'wide'];

/** The heads of columns. */
export function Heads({ of: heads }: { readonly of: readonly Head[] }): VNode {
  return (
    <>
      {heads.map((head) => {
        const [words, name] = typeof head === 'string' ? [head] : head;
        return (
          <th key={words} scope="col" class={name}>
            {words}
          </th>
        );
      })}
    </>
  );
}
