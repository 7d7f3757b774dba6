import { Command, CommanderError } from 'commander';
import { describe, expect, it } from '@jest/globals';
import type { Tuning } from '../../../contract/tunables.ts';
import { addFlags } from '../../../starters/commands/flags.ts';
import { readTuning, TUNING, type TuningFlags } from '../../../starters/commands/tuning-flags.ts';
import { describeTuning } from '../../../starters/terminal/tunable-words.ts';

function parse(...words: string[]): Tuning {
  const command = addFlags(new Command(), Object.keys(TUNING))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.parse(words, { from: 'user' });
  return readTuning(command.opts<TuningFlags>());
}

function refusal(...words: string[]): string {
  try {
    parse(...words);
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('the tuning flags', () => {
  it('give what was given and nothing else', () => {
    expect(parse()).toEqual({});
    expect(parse('--budget', '12.5')).toEqual({ budget: 12.5 });
    expect(parse('--budget', 'none')).toEqual({ budget: null });
    expect(parse('--rate', 'none', '--poll-rate', 'none')).toEqual({ limits: { rate: null, pollRate: null } });
    expect(parse('--window', '50', '--poll-rate', '0.5')).toEqual({ limits: { window: 50, pollRate: 0.5 } });
    expect(
      parse('--halt', 'soon,fail=5%', '--on-unknown', 'resubmit', '--retakes', '0', '--rate', '2', '--submits', '3'),
    ).toEqual({
      halt: { when: 'soon', fail: 5, unit: 'percent' },
      onUnknown: 'resubmit',
      retakes: 0,
      limits: { rate: 2, submits: 3 },
    });
  });

  it('say in several ways what to do with earlier results, and one at a time', () => {
    expect(parse('--cache', 'on')).toEqual({ cache: 'on' });
    expect(parse('--no-cache')).toEqual({ cache: 'off' });
    expect(parse('--fresh')).toEqual({ cache: 'fresh' });
    expect(parse('--cached-only')).toEqual({ cache: 'only' });
    expect(() => parse('--fresh', '--cached-only')).toThrow('only one of --cache, --no-cache');
    expect(() => parse('--cache', 'on', '--fresh')).toThrow('only one of --cache, --no-cache');
  });

  it('take limits up to their bounds', () => {
    expect(parse('--submits', '256', '--window', '10000')).toEqual({ limits: { submits: 256, window: 10_000 } });
  });

  it.each([
    ['--budget', '0', /expected a number above 0/],
    ['--budget', 'all', /expected a number above 0/],
    ['--halt', 'later', /expected never, soon,fail=20, soon,fail=5% or now,fail=1/],
    ['--halt', 'soon,fail=200%', /expected never/],
    ['--on-unknown', 'retry', /Allowed choices are hold, resubmit, fail/],
    ['--retakes', '11', /expected a whole number from 0 to 10/],
    ['--retakes', '-1', /expected a whole number from 0 to 10/],
    ['--retakes', '1.5', /expected a whole number from 0 to 10/],
    ['--submits', '2.5', /expected a whole number from 1 to 256/],
    ['--submits', '257', /expected a whole number from 1 to 256/],
    ['--window', '10001', /expected a whole number from 1 to 10000/],
    ['--rate', ' ', /expected a number above 0/],
  ])('refuse %s %s', (flag, value, why) => {
    expect(refusal(`${flag}=${value}`)).toMatch(why);
  });
});

describe('describeTuning', () => {
  it('says all that was given', () => {
    expect(describeTuning({})).toBe('');
    expect(describeTuning(parse('--budget', 'none', '--rate', '2.5', '--poll-rate', '9'))).toBe(
      'no budget, rate 2.5, poll rate 9',
    );
    expect(
      describeTuning(parse('--budget', '1500', '--halt', 'now,fail=1', '--on-unknown', 'fail', '--retakes', '2')),
    ).toBe('budget 1,500 credits, halt now,fail=1, on unknown fail, retakes 2');
    expect(describeTuning({ limits: { rate: null } })).toBe('rate as the API allows');
  });
});
