import { countJoined, type JoinedLine } from '../../results/joined/joined-table.ts';

/** Files named of those that could not be made; `joined.csv` has all. */
const MOST_NAMED = 5;

/** What became of the files that `--join` asks for, for people; empty without that. */
export function joinedLines(joined: readonly JoinedLine[] | null): readonly string[] {
  if (joined === null) return [];
  const { files, incomplete } = countJoined(joined);
  const more = incomplete === 0 ? '' : `, ${incomplete} not yet`;
  const missing = joined.filter(({ file }) => file === '');
  return [
    `joined: ${files} ${files === 1 ? 'file' : 'files'}${more} (joined.csv)`,
    ...missing.slice(0, MOST_NAMED).map(({ value, message }) => `  ${value}: ${message}`),
    ...(missing.length > MOST_NAMED ? [`  and ${missing.length - MOST_NAMED} more: see joined.csv`] : []),
  ];
}

/** The same for programs. */
export function joinedJson(joined: readonly JoinedLine[] | null): object {
  if (joined === null) return {};
  const incomplete = joined.flatMap(({ file, value, message }) => (file === '' ? [{ value, message }] : []));
  return { joined: { files: joined.length - incomplete.length, incomplete } };
}
