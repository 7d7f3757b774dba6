import type { FilesMade } from '../../results/project.ts';
import type { Output } from './output.ts';
import { ProgressLine } from './progress-line.ts';

/** What takes less than this needs no words, ms. */
const SLOW_MS = 2_000;
const DRAW_EVERY_MS = 500;

const WORDS: Readonly<Record<FilesMade['step'], string>> = { join: 'joining files', finish: 'finishing files' };

/** Shows how many files are joined and finished while `make` makes them, if that takes long. */
export async function showFilesMade<T>(
  output: Output,
  make: (onFilesMade: (made: FilesMade) => void) => Promise<T>,
): Promise<T> {
  const line = new ProgressLine(output);
  let last: (FilesMade & { readonly since: number }) | undefined;
  const draw = (isOver: boolean): void => {
    if (last === undefined || performance.now() - last.since < SLOW_MS) return;
    line.show(`${WORDS[last.step]}: ${last.done}/${last.all} done`, isOver);
  };
  const drawing = setInterval(() => {
    draw(false);
  }, DRAW_EVERY_MS);
  try {
    return await make((made) => {
      last = { ...made, since: last?.since ?? performance.now() };
    });
  } finally {
    clearInterval(drawing);
    draw(true);
  }
}
