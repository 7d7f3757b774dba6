import { buffer } from 'node:stream/consumers';
import type { Output } from '../../starters/terminal/output.ts';

/** An output that is no terminal and keeps what is written. */
export function capture(lines: { out: string; err: string }): Output {
  return {
    data: (line) => {
      lines.out += `${line}\n`;
    },
    bytes: async (body) => {
      lines.out += (await buffer(body)).toString('utf8');
    },
    say: (line) => {
      lines.err += `${line}\n`;
    },
    isTerminal: false,
    isInteractive: false,
    hasColour: false,
  };
}
