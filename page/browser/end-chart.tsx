import type { VNode } from 'preact';
import { OUTCOMES } from '../../contract/outcomes.ts';
import type { EndFigures } from '../../contract/batch-figures.ts';
import { clock, duration, number } from './format.ts';

/** The size of the drawing and its margins, in SVG units. */
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 190, 46, 20, 8];
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];

/** A chart of when rows ended: a stacked bar for each interval (`spans`), by outcome. */
export function EndChart({ chart }: { readonly chart: EndFigures }): VNode {
  const [from, to] = [Date.parse(chart.from), Date.parse(chart.to)];
  const sums = chart.spans.map(({ ends }) => Object.values(ends).reduce((sum, rows) => sum + rows, 0));
  const top = roundUp(Math.max(1, ...sums));
  const x = (at: number): number => LEFT + ((at - from) / (to - from)) * (WIDTH - LEFT);
  const y = (rows: number): number => HEIGHT - BOTTOM - (rows / top) * (HEIGHT - BOTTOM - TOP);
  const width = Math.max(1, ((WIDTH - LEFT) * chart.widthMs) / (to - from) - 1);
  const withDate = to - from > DAY_MS;
  const withSeconds = to - from < 10 * MINUTE_MS;
  const total = number(sums.reduce((sum, rows) => sum + rows, 0));
  return (
    <figure class="chart">
      <figcaption>Rows that ended, per {duration(chart.widthMs / 1_000)}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${total} rows ended between ${clock(from, { withDate: true })} and ${clock(to, { withDate: true })}, at most ${number(Math.max(0, ...sums))} in ${duration(chart.widthMs / 1_000)}`}
      >
        {[0, top / 2, top].map((rows) => (
          <g key={rows}>
            <line class="grid" x1={LEFT} x2={WIDTH} y1={y(rows)} y2={y(rows)} />
            <text x={LEFT - 6} y={y(rows) + 4} text-anchor="end">
              {number(rows)}
            </text>
          </g>
        ))}
        {chart.spans.map(({ at, ends }) => {
          let below = 0;
          return (
            <g key={at}>
              <title>{`${clock(Date.parse(at), { withDate })}: ${outcomeCounts(ends)}`}</title>
              {OUTCOMES.map((outcome) => {
                const rows = ends[outcome] ?? 0;
                if (rows === 0) return null;
                below += rows;
                const height = Math.max(1, y(0) - y(rows));
                return (
                  <rect
                    key={outcome}
                    class={`fill-${outcome}`}
                    x={x(Date.parse(at))}
                    width={width}
                    y={y(below)}
                    height={height}
                  />
                );
              })}
            </g>
          );
        })}
        {TIME_LABELS.map(([share, anchor]) => (
          <text key={share} x={LEFT + share * (WIDTH - LEFT)} y={HEIGHT - 4} text-anchor={anchor}>
            {clock(from + share * (to - from), { withDate, withSeconds })}
          </text>
        ))}
      </svg>
    </figure>
  );
}

/** Where the time axis is labelled, as a share of its length. */
const TIME_LABELS = [
  [0, 'start'],
  [0.5, 'middle'],
  [1, 'end'],
] as const;

/** Returns the rows of one bar in words: `12 succeeded, 1 failed`. */
function outcomeCounts(ends: EndFigures['spans'][number]['ends']): string {
  return OUTCOMES.flatMap((outcome) => {
    const rows = ends[outcome];
    return rows === undefined ? [] : [`${number(rows)} ${outcome}`];
  }).join(', ');
}

/** Rounds up to 1, 2, 4 or 6 times a power of ten, since half of these is round as well. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 4, 6, 10].find((times) => times * power >= value) ?? 10;
  return Math.max(2, factor * power);
}
