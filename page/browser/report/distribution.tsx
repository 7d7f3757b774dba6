import type { VNode } from 'preact';
import type { DistributionView } from '../../../contract/report.ts';
import { number } from '../format.ts';

const [WIDTH, HEIGHT, BOTTOM] = [360, 130, 18];

/** How many values lie where, as bars. */
export function Distribution({
  name,
  of,
  words,
}: {
  readonly name: string;
  readonly of: DistributionView;
  /** A value in words. */
  readonly words: (value: number) => string;
}): VNode {
  const top = Math.max(1, ...of.bars.map(({ values }) => values));
  const width = WIDTH / Math.max(1, of.bars.length);
  const [first, last] = [of.bars[0], of.bars.at(-1)];
  const isCut = last !== undefined && of.most > last.to;
  const middle = `half up to ${words(of.median)}, 95% up to ${words(of.p95)}, ${words(of.least)} to ${words(of.most)}`;
  return (
    <figure class="distribution">
      <figcaption>
        <strong>{name}</strong> {middle}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${name} of ${number(of.values)}: ${middle}`}>
        {of.bars.map(({ from, to, values }, index) => {
          const height = values === 0 ? 0 : Math.max(1.5, (values / top) * (HEIGHT - BOTTOM - 4));
          const isLast = index === of.bars.length - 1;
          return (
            <rect
              key={from}
              class="fill-value"
              x={index * width + 0.5}
              width={Math.max(1, Math.min(width, WIDTH / 4) - 1)}
              y={HEIGHT - BOTTOM - height}
              height={height}
            >
              <title>{`${words(from)} to ${isLast && isCut ? words(of.most) : words(to)}: ${number(values)}`}</title>
            </rect>
          );
        })}
        <line class="grid" x1="0" x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        {first !== undefined && (
          <text x="0" y={HEIGHT - 4}>
            {words(first.from)}
          </text>
        )}
        {last !== undefined && of.bars.length > 4 && (
          <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">
            {isCut ? `${words(last.from)} and more` : words(last.to)}
          </text>
        )}
      </svg>
    </figure>
  );
}
