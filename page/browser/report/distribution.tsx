import type { VNode } from 'preact';
import type { DistributionView } from '../../../contract/report.ts';
import { number } from '../format.ts';

/** The size of the drawing in SVG units, and the height below the bars for labels. */
const [WIDTH, HEIGHT, LABEL_HEIGHT] = [360, 130, 18];
/** Space above the highest bar and below the labels, in SVG units. */
const MARGIN = 4;
/** With fewer bars, the labels of the first and the last one could overlap. */
const MIN_LABELLED_BARS = 5;
/** Max width of a bar in SVG units: few bars are not stretched over the whole width. */
const MAX_BAR_WIDTH = WIDTH / 4;

/** A histogram, with the median and the 95th percentile in its caption. */
export function Distribution({
  name,
  of,
  format,
}: {
  readonly name: string;
  readonly of: DistributionView;
  /** Returns a value with its unit. */
  readonly format: (value: number) => string;
}): VNode {
  const top = Math.max(1, ...of.bars.map(({ values }) => values));
  const width = WIDTH / Math.max(1, of.bars.length);
  const [first, last] = [of.bars[0], of.bars.at(-1)];
  // The last bar also counts the values beyond it.
  const isOpenEnded = last !== undefined && of.most > last.to;
  const caption = `half up to ${format(of.median)}, 95% up to ${format(of.p95)}, ${format(of.least)} to ${format(of.most)}`;
  return (
    <figure class="distribution">
      <figcaption>
        <strong>{name}</strong> {caption}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${name} of ${number(of.values)}: ${caption}`}>
        {of.bars.map(({ from, to, values }, index) => {
          const height = values === 0 ? 0 : Math.max(1.5, (values / top) * (HEIGHT - LABEL_HEIGHT - MARGIN));
          const isLast = index === of.bars.length - 1;
          return (
            <rect
              key={from}
              class="fill-value"
              x={index * width + 0.5}
              width={Math.max(1, Math.min(width, MAX_BAR_WIDTH) - 1)}
              y={HEIGHT - LABEL_HEIGHT - height}
              height={height}
            >
              <title>{`${format(from)} to ${isLast && isOpenEnded ? format(of.most) : format(to)}: ${number(values)}`}</title>
            </rect>
          );
        })}
        <line class="grid" x1="0" x2={WIDTH} y1={HEIGHT - LABEL_HEIGHT} y2={HEIGHT - LABEL_HEIGHT} />
        {first !== undefined && (
          <text x="0" y={HEIGHT - MARGIN}>
            {format(first.from)}
          </text>
        )}
        {last !== undefined && of.bars.length >= MIN_LABELLED_BARS && (
          <text x={WIDTH} y={HEIGHT - MARGIN} text-anchor="end">
            {isOpenEnded ? `${format(last.from)} and more` : format(last.to)}
          </text>
        )}
      </svg>
    </figure>
  );
}
