import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ProgressLine } from '../../../starters/terminal/progress.ts';
import { capture } from '../command-line.ts';

let drawn = '';
let line: ProgressLine;

beforeEach(() => {
  drawn = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    drawn += String(text);
    return true;
  });
  line = new ProgressLine({ ...capture({ out: '', err: '' }), isTerminal: true });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const CLEAR = '\r\u001b[2K';

it('draws a line in its place, and ends it once', () => {
  line.show('1/2');
  line.show('2/2', true);
  line.end();
  expect(drawn).toBe(`${CLEAR}1/2${CLEAR}2/2\n`);
});

it('ends a line that was not meant to be the last', () => {
  line.show('1/2');
  line.end();
  expect(drawn).toBe(`${CLEAR}1/2\n`);
});

it('ends nothing after a message has taken its place, or where nothing was drawn', () => {
  line.end();
  line.show('1/2');
  line.interrupt();
  line.end();
  expect(drawn).toBe(`${CLEAR}1/2${CLEAR}`);
});
