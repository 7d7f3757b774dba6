import { viewProgress } from '../../client/look/status-view.ts';
import type { Standing } from '../../client/look/follow.ts';
import { barLine } from './bar.ts';
import { isLog, type Output } from './output.ts';
import { progressLine } from './progress-words.ts';
import { cutToWidth } from './table.ts';

/** Without a bar, a line or an event at most this often, ms. */
const PLAIN_EVERY_MS = 5_000;
const EVENT_EVERY_MS = 1_000;

/**
 * A line on stderr that changes: drawn in its place on a terminal that takes it, printed every few seconds elsewhere.
 */
export class ProgressLine {
  readonly #output: Output;
  #shownAt = -Infinity;
  #shown = '';
  #isDrawn = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /**
   * `final`: nothing follows, so the line is always shown and stays. `draw`: how a terminal shows it in so many cells.
   * Default: cut.
   */
  show(line: string, final = false, draw: (cells: number) => string = (cells) => cutToWidth(line, cells)): void {
    const { progress = 'plain', draw: drawOn, say } = this.#output;
    if (progress === 'bar' && drawOn !== undefined) {
      this.#shown = line;
      this.#isDrawn = true;
      if (final) this.end();
      else drawOn((cells) => [draw(cells)]);
    } else if (progress === 'plain' && line !== this.#shown && (final || this.#isDue(PLAIN_EVERY_MS))) {
      say(line);
      this.#shown = line;
    }
  }

  /** Ends drawing: the last line stays. */
  end(): void {
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    this.#output.draw?.(() => []);
    this.#output.say(this.#shown);
  }

  #isDue(everyMs: number): boolean {
    const now = performance.now();
    if (now - this.#shownAt < everyMs) return false;
    this.#shownAt = now;
    return true;
  }
}

/** Shows the progress of a batch in the form that was asked for. */
export class ProgressDisplay {
  readonly #output: Output;
  readonly #line: ProgressLine;
  #toldAt = -Infinity;

  constructor(output: Output) {
    this.#output = output;
    this.#line = new ProgressLine(output);
  }

  show(standing: Standing, final = false): void {
    const now = Date.now();
    const { event } = this.#output;
    const line = (): string => progressLine(isLog(this.#output) ? withoutCauses(standing) : standing, now);
    if (event === undefined) this.#line.show(line(), final, (cells) => barLine(standing, cells, now, this.#output));
    else if (final || performance.now() - this.#toldAt >= EVENT_EVERY_MS) {
      this.#toldAt = performance.now();
      event({ type: 'progress', ...viewProgress(standing) });
    }
  }

  /** Nothing follows. */
  end(): void {
    this.#line.end();
  }
}

/** Failures by their class alone: causes may be sentences of the API, which repeat texts. */
function withoutCauses(standing: Standing): Standing {
  return { ...standing, reasons: standing.reasons.map((reason) => ({ ...reason, cause: '' })) };
}
