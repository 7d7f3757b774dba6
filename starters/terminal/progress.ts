import { viewProgress } from '../../client/status/status-view.ts';
import type { Standing } from '../../client/status/follow.ts';
import { barLine } from './bar.ts';
import { isLog, type Output } from './output.ts';
import { progressLine } from './progress-words.ts';
import { cutToWidth } from './table.ts';

/** Plain lines are printed at most this often, ms. */
const LINE_INTERVAL_MS = 5_000;
/** Events are written at most this often, ms. */
const EVENT_INTERVAL_MS = 1_000;

/** A line on stderr that changes: redrawn in place on a terminal, printed every few seconds elsewhere. */
export class ProgressLine {
  readonly #output: Output;
  #shownAt = -Infinity;
  #shown = '';
  #isDrawn = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /**
   * Shows the line. `final`: it is the last one, so it is always shown and stays. `draw`: returns it for a terminal of
   * `cells` cells; by default it is cut.
   */
  show(line: string, final = false, draw: (cells: number) => string = (cells) => cutToWidth(line, cells)): void {
    const { progress = 'plain', draw: drawOn, say } = this.#output;
    if (progress === 'bar' && drawOn !== undefined) {
      this.#shown = line;
      this.#isDrawn = true;
      if (final) this.end();
      else drawOn((cells) => [draw(cells)]);
    } else if (progress === 'plain' && line !== this.#shown && (final || this.#isDue(LINE_INTERVAL_MS))) {
      say(line);
      this.#shown = line;
    }
  }

  /** Stops drawing, and leaves the last line on the screen. */
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

/** Shows the progress of a batch as `--progress` says: a bar, plain lines, events, or nothing. */
export class ProgressDisplay {
  readonly #output: Output;
  readonly #line: ProgressLine;
  #lastEventAt = -Infinity;

  constructor(output: Output) {
    this.#output = output;
    this.#line = new ProgressLine(output);
  }

  /** `final`: the last one, which is always shown. */
  show(standing: Standing, final = false): void {
    const now = Date.now();
    const { event } = this.#output;
    const line = (): string => progressLine(isLog(this.#output) ? withoutCauses(standing) : standing, now);
    if (event === undefined) this.#line.show(line(), final, (cells) => barLine(standing, cells, now, this.#output));
    else if (final || performance.now() - this.#lastEventAt >= EVENT_INTERVAL_MS) {
      this.#lastEventAt = performance.now();
      event({ type: 'progress', ...viewProgress(standing) });
    }
  }

  /** Ends the display; see {@link ProgressLine.end}. */
  end(): void {
    this.#line.end();
  }
}

/** Returns the progress with failures named by class alone, for a log: causes may repeat texts of rows. */
function withoutCauses(standing: Standing): Standing {
  return { ...standing, reasons: standing.reasons.map((reason) => ({ ...reason, cause: '' })) };
}
