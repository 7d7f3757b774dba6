import type { Score } from './judge.ts';

/** The columns of the table: title, and text of a cell. */
const COLUMNS: readonly (readonly [string, (score: Score) => string])[] = [
  ['', ({ name, isOver }) => (isOver ? name : `${name} (time was over)`)],
  ['rows', ({ rows }) => String(rows)],
  ['delivered', ({ delivered }) => String(delivered)],
  ['unknown', ({ unknown }) => String(unknown)],
  ['lost', ({ lost }) => String(lost)],
  ['charges', ({ charges }) => String(charges)],
  ['**double charges**', ({ doubles }) => `**${doubles}**`],
  ['credits charged twice', ({ wasted }) => wasted.toFixed(1)],
  ['seconds', ({ seconds }) => seconds.toFixed(1)],
];

/** Returns a Markdown table of all scores. */
export function tableOf(scores: readonly Score[]): string {
  const lines = [
    COLUMNS.map(([title]) => title),
    COLUMNS.map((_, index) => (index === 0 ? '---' : '---:')),
    ...scores.map((score) => COLUMNS.map(([, cell]) => cell(score))),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Returns the ratios of each peer to the first score, one line each. */
export function ratiosOf([ours, ...peers]: readonly Score[]): string {
  if (ours === undefined) return '';
  return peers
    .map(
      (peer) =>
        `${peer.name} : ${ours.name} – double charges ${peer.doubles} : ${ours.doubles}, ` +
        `charges a row ${ratio(peer.charges / peer.rows, ours.charges / ours.rows)}, ` +
        `lost rows ${peer.lost} : ${ours.lost}, time ${ratio(peer.seconds, ours.seconds)}`,
    )
    .join('\n');
}

/** Formats a ratio: `1.27 : 1.00 = 1.27×`. */
function ratio(theirs: number, ours: number): string {
  return `${theirs.toFixed(2)} : ${ours.toFixed(2)} = ${(theirs / ours).toFixed(2)}×`;
}
