import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { verifyOption } from '../../../starters/commands/verify-flag.ts';

/** What is read of a command line. */
function read(argument: string, ...words: string[]): unknown {
  const command = new Command().argument(`<${argument}>`).addOption(verifyOption(argument));
  command.exitOverride().configureOutput({ outputError: () => undefined });
  return command.parse(words, { from: 'user' }).opts()['verify'];
}

describe('--verify', () => {
  it.each(['true', 'false', '0.1'])('takes %s as a cell of its column', (value) => {
    expect(read('manifest', 'lines.csv', '--verify', value)).toBe(value);
  });

  it.each([
    ['manifest', 'lines.csv'],
    ['manifest', '0.9'],
    ['text', 'Good morning.'],
  ])('says where the %s goes if it gets %s', (argument, value) => {
    const words = new RegExp(`0\\.02 to 0\\.6\\. The ${argument} goes before --verify, or after --verify=true\\.`);
    expect(() => read(argument, '--verify', value)).toThrow(words);
  });
});
