import { describe, expect, it } from '@jest/globals';
import { Draw } from '../../simulator/draw.ts';
import { type Dimension, parseShape, SHAPES } from '../../simulator/shapes.ts';

const dimensions = Object.keys(SHAPES) as Dimension[];

describe('Draw', () => {
  it('is the same for the same seed', () => {
    const of = (seed: number): number[] => {
      const draw = new Draw(seed);
      return [draw.fraction(), draw.fraction(), draw.uniform(5, 9), draw.lognormal(100, 900)];
    };
    expect(of(4)).toEqual(of(4));
    expect(of(4)).not.toEqual(of(5));
  });

  it('draws every variant of every dimension, none much more than the others', () => {
    const draw = new Draw(1);
    for (const dimension of dimensions) {
      const counts = new Map<string, number>(SHAPES[dimension].map((variant) => [variant, 0]));
      for (let i = 0; i < 2000; i++) {
        const variant = draw.shape(dimension);
        counts.set(variant, (counts.get(variant) ?? 0) + 1);
      }
      const even = 2000 / counts.size;
      for (const count of counts.values()) expect(Math.abs(count - even) / even).toBeLessThan(0.3);
    }
  });

  it('keeps to a fixed variant and draws the rest', () => {
    const draw = new Draw(1, parseShape('voice.id=voiceId'));
    const drawn = Array.from({ length: 50 }, () => [draw.shape('voice.id'), draw.shape('voice.name')].join());
    expect(new Set(drawn)).toEqual(new Set(['voiceId,name', 'voiceId,title']));
  });

  it('puts nine of ten log-normal values between its bounds', () => {
    const draw = new Draw(2);
    const values = Array.from({ length: 4000 }, () => draw.lognormal(100, 900));
    const inside = values.filter((value) => value >= 100 && value <= 900).length / values.length;
    expect(inside).toBeGreaterThan(0.87);
    expect(inside).toBeLessThan(0.93);
  });
});
