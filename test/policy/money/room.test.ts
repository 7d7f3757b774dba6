import { describe, expect, it } from '@jest/globals';
import { roomFor, settledOf, type Committed } from '../../../policy/money/room.ts';

const NONE: Committed = {
  charged: 0,
  unknown: 0,
  onTheWire: 0,
  promised: 0,
  beyond: { awaited: 0, lost: 0, promised: 0 },
};
const NEW = { credits: 10, isBegun: false };

describe('room in a budget', () => {
  it('is there to the last credit, whatever binary fractions make of it', () => {
    expect(roomFor({ ...NONE, charged: 90 }, NEW, 100)).toBe('room');
    expect(roomFor({ ...NONE, charged: 0.1 }, { ...NEW, credits: 0.2 }, 0.3)).toBe('room');
    expect(roomFor({ ...NONE, charged: 90.1 }, NEW, 100)).toBe('none');
  });

  it('comes later if what is open may turn out to cost less', () => {
    expect(roomFor({ ...NONE, charged: 80, onTheWire: 11 }, NEW, 100)).toBe('later');
    expect(roomFor({ ...NONE, charged: 80, beyond: { ...NONE.beyond, awaited: 11 } }, NEW, 100)).toBe('later');
    expect(roomFor({ ...NONE, charged: 80, beyond: { ...NONE.beyond, promised: 11 } }, NEW, 100)).toBe('later');
  });

  it('never comes where the charge may stay unknown for ever', () => {
    expect(roomFor({ ...NONE, charged: 80, unknown: 11 }, NEW, 100)).toBe('none');
    expect(roomFor({ ...NONE, charged: 80, beyond: { ...NONE.beyond, lost: 11 } }, NEW, 100)).toBe('none');
    expect(settledOf({ ...NONE, charged: 1, unknown: 2, promised: 3, beyond: { ...NONE.beyond, lost: 4 } })).toBe(10);
  });

  it('is not kept from a row that was begun by what others may need: each would wait for the other', () => {
    const committed = { ...NONE, charged: 80, beyond: { ...NONE.beyond, promised: 500 } };
    expect(roomFor(committed, { credits: 10, isBegun: true }, 100)).toBe('room');
  });
});
