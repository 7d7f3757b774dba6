import { describe, expect, it } from '@jest/globals';
import { NAMED_SHAPES, parseShape } from '../../simulator/shapes.ts';

describe('parseShape', () => {
  it('fixes nothing where shapes are drawn', () => expect(parseShape('drawn')).toEqual({}));

  it.each(Object.keys(NAMED_SHAPES))('knows %s', (name) => {
    expect(Object.keys(parseShape(name)).length).toBeGreaterThan(3);
  });

  it('reads pairs', () => {
    expect(parseShape('speech.id=task_id, list.member=jobs')).toEqual({
      'speech.id': 'task_id',
      'list.member': 'jobs',
    });
  });

  it.each(['round', 'speech.id', 'speech.id=uuid', 'toString=1', ''])('refuses %p', (shape) => {
    expect(() => parseShape(shape)).toThrow(/^shape: expected/);
  });
});
