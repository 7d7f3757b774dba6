import { countFinished, type FinishedLine } from '../../results/finished/finished-table.ts';

/** Files named of those that could not be made; `finished.csv` has all. */
const MOST_NAMED = 5;

/** What became of the finished copies, for people; empty if none were asked for. */
export function finishedLines(finished: readonly FinishedLine[] | null): readonly string[] {
  if (finished === null) return [];
  const { files, failed } = countFinished(finished);
  const missing = finished.filter(({ file }) => file === '');
  const rest = failed === 0 ? '' : `, ${failed} could not be made; the originals are all there`;
  return [
    `finished: ${files} ${files === 1 ? 'copy' : 'copies'}${rest} (finished.csv)`,
    ...missing.slice(0, MOST_NAMED).map(({ original, message }) => `  ${original}: ${message}`),
    ...(failed > MOST_NAMED ? [`  and ${failed - MOST_NAMED} more: see finished.csv`] : []),
  ];
}

/** The same for programs. */
export function finishedJson(finished: readonly FinishedLine[] | null): object {
  if (finished === null) return {};
  const failed = finished.flatMap(({ file, original, message }) => (file === '' ? [{ original, message }] : []));
  return { finished: { files: finished.length - failed.length, failed } };
}
