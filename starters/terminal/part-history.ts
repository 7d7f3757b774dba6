import type { PartStory, RowHistory } from '../../batches/look/explain.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { contentOf, pathOf } from './stored-words.ts';
import { clipped, indent, oneLine, tableLines, type TableColumn } from './table.ts';

/** Longest beginning of a part's text. */
const PART_WIDTH = 60;
/** Parts that are listed; of a row with more, only those without a result. */
const MOST_PARTS = 40;

/** The parts with their states and the beginning of what they say; of many, those that have no result. */
export function partLines(parts: RowHistory['parts']): readonly string[] {
  if (parts.length === 0) return [];
  const lacking = parts.filter(({ outcome }) => !hasResult(outcome));
  const [listed, kind] = parts.length > MOST_PARTS ? [lacking, ' without a result'] : [parts, ''];
  const columns: readonly TableColumn<PartStory>[] = [
    { title: 'part', value: ({ id }) => oneLine(id) },
    { title: 'state', value: ({ outcome, state }) => outcome ?? state },
    { title: 'says', value: ({ text }) => clipped(text, PART_WIDTH) },
  ];
  return [
    `Parts: ${parts.length}, ${parts.length - lacking.length} of them with a result`,
    ...(listed.length === 0 ? [] : indent(tableLines(columns, listed.slice(0, MOST_PARTS)))),
    ...(listed.length > MOST_PARTS ? [`  and ${listed.length - MOST_PARTS} more${kind}`] : []),
  ];
}

/** What is told of parts, and the folder of the store, absolute. */
interface PartsHere extends Pick<RowHistory, 'row' | 'parts'> {
  readonly store: string;
}

/** Where the results of parts are that a person should listen to: a part is not in the out folder. */
export function keptLines({ row, parts, store }: PartsHere): readonly string[] {
  const kept = row.partOf === null ? parts.filter(({ outcome }) => outcome === 'unfit') : [row];
  const lines = kept.flatMap(({ id, file }) => {
    const path = pathOf(file, store);
    return file === null || path === null ? [] : [`  ${oneLine(id)}  ${path}  ${contentOf(file)}`];
  });
  if (lines.length === 0) return [];
  return [row.partOf === null ? 'Parts that failed a check, in the store' : 'File in the store', ...lines];
}

/** The parts for machines. `path`: where the result is, that of a part being in the store alone. */
export function partsJson({ parts, store }: Omit<PartsHere, 'row'>): readonly object[] {
  return parts.map(({ id, outcome, state, text, file }) => ({ id, outcome, state, text, path: pathOf(file, store) }));
}
