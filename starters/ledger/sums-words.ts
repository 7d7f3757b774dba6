import type { BatchSums } from '../../client/ledger/ledger-view.ts';
import { tableLines } from '../terminal/table.ts';
import { number } from '../terminal/words.ts';

/** Batches that are shown; `--json` has all. */
const MOST_SHOWN = 20;

/** What batches add up to, as a table. */
export function batchLines(batches: readonly BatchSums[]): readonly string[] {
  if (batches.length === 0) return [];
  const rest = batches.length - MOST_SHOWN;
  return [
    ...tableLines<BatchSums>(
      [
        { title: 'batch', value: ({ batch }) => batch },
        { title: 'rows', value: ({ rows }) => rowWords(rows) },
        { title: 'charged', value: ({ charged }) => number(charged), align: 'right' },
        { title: 'uncertain', value: ({ uncertain }) => number(uncertain), align: 'right' },
      ],
      batches.slice(0, MOST_SHOWN),
    ),
    ...(rest > 0 ? [`and ${number(rest)} more (--json shows all)`] : []),
  ];
}

function rowWords(rows: BatchSums['rows']): string {
  const some = [...rows].filter(([, n]) => n > 0);
  return some.length === 0 ? 'none' : some.map(([state, n]) => `${number(n)} ${state.replace('_', ' ')}`).join(', ');
}
