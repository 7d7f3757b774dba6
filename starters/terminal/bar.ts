import { styleText } from 'node:util';
import { chosenOf, endedOf, resultsOf } from '../../client/status/counts-view.ts';
import type { Output } from './output.ts';
import { figuresOf, problemsOf, type BatchProgress } from './progress-words.ts';
import { cutToWidth, widthOf } from './table.ts';

/** Cells of the bar: as many as the figures leave, up to this. */
const MAX_CELLS = 30;
/** The same if a problem is shown as well. */
const MAX_CELLS_WITH_PROBLEM = 12;
/** With less room than this, only the figures are shown. */
const MIN_CELLS = 8;

/** Characters for rows with a result, rows without one, and open rows. */
const BLOCKS = ['█', '▒', '░'] as const;
/** The same for terminals without Unicode. */
const ASCII = ['=', 'x', '.'] as const;
const COLOURS = ['green', 'red', 'gray'] as const;

/** What the terminal can show. */
type Capabilities = Pick<Output, 'hasColour' | 'isUnicode'>;

/**
 * Returns a progress line such as `██████▒░░░░ 1,234/2,000 done, 12 failed, 8.2 rows/s, 2:05 left`. `width`: that
 * of the terminal, in cells; `now`: ms since 1970.
 */
export function barLine(progress: BatchProgress, width: number, now: number, terminal: Capabilities): string {
  const figures = figuresOf(progress, now).flatMap(({ words, isBrief }) => (isBrief ? [words] : []));
  const problems = problemsOf(progress, now);
  const left = width - widthOf(figures.join(', ')) - 1;
  const length = Math.min(left, problems.length === 0 ? MAX_CELLS : MAX_CELLS_WITH_PROBLEM);
  const words = [...figures, ...problems].join(', ');
  if (length < MIN_CELLS) return cutToWidth(words, width);
  return `${bar(progress, length, terminal)} ${cutToWidth(words, width - length - 1)}`;
}

function bar({ counts }: BatchProgress, length: number, { hasColour, isUnicode = false }: Capabilities): string {
  const total = Math.max(1, chosenOf(counts));
  const [done, ended] = [resultsOf(counts), endedOf(counts)];
  // Rounding may neither hide rows without a result nor fill the bar before the last row has ended.
  const withoutResult = ended > done ? Math.max(1, Math.floor((length * (ended - done)) / total)) : 0;
  const withResult = Math.min(length - withoutResult - (ended < total ? 1 : 0), Math.floor((length * done) / total));
  const cells = [withResult, withoutResult, length - withResult - withoutResult];
  return cells
    .map((count, at) => {
      const text = ((isUnicode ? BLOCKS : ASCII)[at] ?? '').repeat(count);
      return hasColour && count > 0 ? styleText(COLOURS[at] ?? 'gray', text, { validateStream: false }) : text;
    })
    .join('');
}
