import { describe, expect, it } from '@jest/globals';
import { damagedLines, moneyWords } from '../../../starters/terminal/money.ts';

describe('money', () => {
  const money = { charged: 70.1, reserved: 20.1, uncertain: 10, estimated: true, saved: 0, damaged: 0 };

  it('calls nothing an estimate of something', () => {
    const none = { charged: 0, reserved: 8, uncertain: 0, estimated: true, saved: 0, damaged: 0 };
    expect(moneyWords(none, null)).toBe('0 charged, 8 reserved, 0 uncertain');
  });

  it('says what earlier results saved, and what it cost that some were damaged', () => {
    expect(moneyWords({ ...money, estimated: false, saved: 1200 }, 200)).toBe(
      '70.1 charged, 20.1 reserved, 10 uncertain, 1,200 saved by earlier results; 99.8 left of a budget of 200',
    );
    expect(damagedLines(money)).toEqual([]);
    expect(damagedLines({ damaged: 1 })[0]).toContain('would have used it were paid for anew');
    expect(damagedLines({ damaged: 2 })[0]).toContain('2 earlier results were missing or altered');
  });

  it('always says what is charged, reserved and uncertain, and what a budget leaves', () => {
    expect(moneyWords(money, null)).toBe('about 70.1 charged (some prices are estimates), 20.1 reserved, 10 uncertain');
    expect(moneyWords({ ...money, estimated: false }, 200)).toBe(
      '70.1 charged, 20.1 reserved, 10 uncertain; 99.8 left of a budget of 200',
    );
  });
});
