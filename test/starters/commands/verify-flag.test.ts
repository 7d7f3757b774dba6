import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { addFlags } from '../../../starters/commands/flags.ts';

/** What is read of a command line. */
function read(...words: string[]): unknown {
  const command = addFlags(new Command().argument('[manifest]'), ['verify']);
  command.exitOverride().configureOutput({ outputError: () => undefined });
  return command.parse(words, { from: 'user' }).opts()['verify'];
}

describe('--verify', () => {
  it.each(['true', 'false', '0.1'])('takes %s as a cell of its column', (value) => {
    expect(read('lines.csv', '--verify', value)).toBe(value);
  });

  it.each(['lines.csv', '0.9', 'Good morning.'])('says where another word goes if it gets %s', (value) => {
    expect(() => read('--verify', value)).toThrow(
      /0\.02 to 0\.6\. Any other word goes before --verify, or after --verify=true\./,
    );
  });
});
