import { beforeEach, describe, expect, it } from '@jest/globals';
import { Drawing } from '../../../starters/terminal/drawing.ts';
import { ProgressLine } from '../../../starters/terminal/progress.ts';
import { capture } from '../command-line.ts';
import { FakeTerminal } from '../fake-terminal.ts';

let terminal: FakeTerminal;
let drawing: Drawing;
let line: ProgressLine;

beforeEach(() => {
  terminal = new FakeTerminal(20, 9);
  drawing = new Drawing(terminal);
  line = new ProgressLine({
    ...capture({ out: '', err: '' }),
    progress: 'bar',
    draw: (lines) => {
      drawing.show(lines);
    },
    say,
  });
});

const say = (text: string): void => {
  drawing.above(() => {
    terminal.write(`${text}\n`);
  });
};

describe('a line of progress on a terminal', () => {
  it('is drawn in its place below what is said, and stays in words at the end', () => {
    line.show('1/2', false, () => '#. 1/2');
    say('a warning');
    expect(terminal.lines()).toEqual(['a warning', '#. 1/2']);
    line.show('2/2', true, () => '## 2/2');
    line.end();
    say('the end');
    expect(terminal.lines()).toEqual(['a warning', '2/2', 'the end']);
  });

  it('leaves its last words where it was not meant to end', () => {
    line.end();
    line.show('1/2');
    line.end();
    expect(terminal.lines()).toEqual(['1/2']);
  });
});
