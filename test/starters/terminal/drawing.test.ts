import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Drawing } from '../../../starters/terminal/drawing.ts';
import { FakeTerminal } from '../fake-terminal.ts';

const fixed = (lines: readonly string[]) => (cells: number) => lines.map((line) => line.slice(0, cells));

describe('a drawing', () => {
  it.each([
    [6, 5],
    [undefined, 79],
    [0, 79],
  ])('has a cell less than the columns of a terminal, of which %s are %d', (columns, cells) => {
    const told: number[] = [];
    new Drawing({ write: () => undefined, columns, rows: undefined }).show((room) => {
      told.push(room);
      return [];
    });
    expect(told).toEqual([cells]);
  });

  it('is drawn over, taken away, and not drawn again where nothing has changed', () => {
    const terminal = new FakeTerminal(10, 5);
    const drawing = new Drawing(terminal);
    drawing.show(fixed(['a', 'b', 'c']));
    drawing.show(fixed(['x', 'y']));
    expect(terminal.lines()).toEqual(['x', 'y']);
    const { written } = terminal;
    drawing.show(fixed(['x', 'y']));
    expect(terminal.written).toBe(written);
    drawing.show(fixed([]));
    drawing.show(fixed([]));
    expect(terminal.lines()).toEqual([]);
  });

  it('leaves room in a low window, and fits a window that becomes wider', () => {
    const terminal = new FakeTerminal(6, 3);
    const drawing = new Drawing(terminal);
    drawing.show(fixed(['abcdefgh', '2', '3', '4']));
    expect(terminal.lines()).toEqual(['abcde', '2']);
    terminal.columns = 9;
    drawing.show(fixed(['abcdefgh', '2', '3', '4']));
    expect(terminal.lines()).toEqual(['abcdefgh', '2']);
  });

  it('eats no line that is written above it, whatever is drawn and however the window changes', () => {
    const step = fc.oneof(
      fc.record({
        show: fc.array(fc.string({ maxLength: 30, unit: fc.constantFrom('a', 'b', 'c', ' ') }), { maxLength: 4 }),
      }),
      fc.record({ say: fc.constant(true) }),
      fc.record({ columns: fc.integer({ min: 4, max: 40 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const terminal = new FakeTerminal(20, 6);
        const drawing = new Drawing(terminal);
        const said: string[] = [];
        for (const one of steps) {
          if ('show' in one) drawing.show(fixed(one.show));
          else if ('columns' in one) terminal.columns = one.columns;
          else {
            const line = `#${String(said.length)}`;
            said.push(line);
            drawing.above(() => {
              terminal.write(`${line}\n`);
            });
          }
        }
        // Each on a line of its own, in order.
        expect(terminal.lines().filter((line) => line.startsWith('#'))).toEqual(said);
      }),
    );
  });
});
