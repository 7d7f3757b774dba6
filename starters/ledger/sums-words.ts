import type { BatchSums } from '../../client/ledger/ledger-view.ts';
import { tableLines } from '../terminal/table.ts';
import { number } from '../terminal/words.ts';

/** Batches in the table; `--json` has all. */
const MAX_SHOWN = 20;

/** Returns a table of batches with their rows and charges; no lines without batches. */
export function batchLines(batches: readonly BatchSums[]): readonly string[] {
  if (batches.length === 0) return [];
  const rest = batches.length - MAX_SHOWN;
  return [
    ...tableLines<BatchSums>(
      [
        { title: 'batch', value: ({ batch }) => batch },
        { title: 'rows', value: ({ rows }) => rowWords(rows) },
        { title: 'charged', value: ({ charged }) => number(charged), align: 'right' },
        { title: 'uncertain', value: ({ uncertain }) => number(uncertain), align: 'right' },
      ],
      batches.slice(0, MAX_SHOWN),
    ),
    ...(rest > 0 ? [`and ${number(rest)} more (--json shows all)`] : []),
  ];
}

function rowWords(rows: BatchSums['rows']): string {
  const nonZero = [...rows].filter(([, count]) => count > 0);
  if (nonZero.length === 0) return 'none';
  return nonZero.map(([state, count]) => `${number(count)} ${state.replace('_', ' ')}`).join(', ');
}
