import { styleText } from 'node:util';
import { chosenOf, endedOf, resultsOf } from '../../client/look/counts-view.ts';
import type { Output } from './output.ts';
import { figuresOf, troubleOf, type Standing } from './progress-words.ts';
import { cutToWidth, widthOf } from './table.ts';

/** Cells of a bar: as many as the figures leave, up to the first; less than the last shows nothing. */
const LONGEST = 30;
const BESIDE_TROUBLE = 12;
const SHORTEST = 8;

/** What is shown of rows with a result, without one, and open ones. */
const BLOCKS = ['█', '▒', '░'] as const;
/** Where a terminal may not have the others. */
const ASCII = ['=', 'x', '.'] as const;
const COLOURS = ['green', 'red', 'gray'] as const;

/** What a terminal can show. */
type Look = Pick<Output, 'hasColour' | 'isUnicode'>;

/** `██████▒░░░░ 1,234/2,000 done, 12 failed, 8.2 rows/s, 2:05 left` in one line of a terminal. */
export function barLine(standing: Standing, room: number, now: number, look: Look): string {
  const figures = figuresOf(standing, now).flatMap(({ words, isBrief }) => (isBrief ? [words] : []));
  const trouble = troubleOf(standing, now);
  const left = room - widthOf(figures.join(', ')) - 1;
  const length = Math.min(left, trouble.length === 0 ? LONGEST : BESIDE_TROUBLE);
  const words = [...figures, ...trouble].join(', ');
  if (length < SHORTEST) return cutToWidth(words, room);
  return `${bar(standing, length, look)} ${cutToWidth(words, room - length - 1)}`;
}

function bar({ counts }: Standing, length: number, { hasColour, isUnicode = false }: Look): string {
  const all = Math.max(1, chosenOf(counts));
  const [done, ended] = [resultsOf(counts), endedOf(counts)];
  // No row without a result is rounded away, and no bar is full before the last row has ended.
  const lost = ended > done ? Math.max(1, Math.floor((length * (ended - done)) / all)) : 0;
  const good = Math.min(length - lost - (ended < all ? 1 : 0), Math.floor((length * done) / all));
  const cells = [good, lost, length - good - lost];
  return cells
    .map((count, at) => {
      const text = ((isUnicode ? BLOCKS : ASCII)[at] ?? '').repeat(count);
      return hasColour && count > 0 ? styleText(COLOURS[at] ?? 'gray', text, { validateStream: false }) : text;
    })
    .join('');
}
