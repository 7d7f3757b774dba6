import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from './finding.ts';
import { DAY_MS, type MonthDay } from './month-plan.ts';
import type { MonthWorld } from './month-world.ts';
import type { Member } from './member.ts';
import type { Doubt } from './perform.ts';

/** The manifest of the next day is put in place this long before that is due, ms. */
const MANIFEST_LEAD_MS = 4_500;
const TEXT_LENGTH = 40;
const HEADER = 'id,kind,text,voice\n';

/** The manifest of a day. All texts have the same length, and so the same price. */
export function manifestFor(day: number, rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const text = `Day ${day}, line ${index + 1} of the catalogue`.padEnd(TEXT_LENGTH, '.');
    return `r${index + 1},tts,"${text}",narrator\n`;
  });
  return HEADER + lines.join('');
}

/** Plays the plan of a month in a world, by the clock: it goes on whatever the world does. Keeps book of what was struck. */
export class MonthPerformer {
  readonly doubts: Doubt[] = [];
  readonly #world: MonthWorld;
  readonly #schedule: string;
  readonly #say: (line: string) => void;
  readonly #refused: string[] = [];
  readonly #commands: Promise<void>[] = [];

  constructor(world: MonthWorld, schedule: string, say: (line: string) => void) {
    this.#world = world;
    this.#schedule = schedule;
    this.#say = say;
  }

  /** Plays all days; resolves when the last is over. `first`: when the first is due, ms since 1970. */
  async play(plan: readonly MonthDay[], first: number): Promise<void> {
    const acts = plan.flatMap((one) => {
      const due = first + (one.day - 1) * DAY_MS;
      return [
        { at: due - MANIFEST_LEAD_MS, act: () => this.#write(one) },
        { at: due + one.from, act: () => this.#begin(one) },
        { at: due + one.until, act: () => this.#takeBack(one) },
      ];
    });
    for (const { at, act } of acts.toSorted((one, other) => one.at - other.at)) {
      await sleep(Math.max(0, at - Date.now()));
      await act();
    }
    await Promise.all(this.#commands);
  }

  /** Whether every command of a person was heeded. */
  finding(): Finding {
    return { promise: 'pause and resume are heeded', broken: this.#refused };
  }

  async #write({ day, event, rows }: MonthDay): Promise<void> {
    const content = event === 'bad-manifest' ? `${HEADER}r1,tts,,narrator\n` : manifestFor(day, rows);
    await this.#world.replaceManifest(`day-${day}`, content);
  }

  async #begin({ day, event }: MonthDay): Promise<void> {
    if (event === 'none') return;
    this.#say(`day ${day}: ${event}`);
    const { up, worker } = this.#world;
    switch (event) {
      case 'kill-up':
        return this.#kill(day, [up], () => up.kill());
      case 'kill-worker':
        return this.#kill(day, [worker], () => worker.kill());
      case 'kill-server':
        this.#world.killServer();
        return;
      case 'power-cut':
      case 'short-outage':
      case 'long-outage':
        return this.#kill(day, [up, worker], () => this.#world.cutPower());
      case 'pause':
        this.#command('pause', '--note', `day ${day}`);
        return;
      case 'dear-manifest':
      case 'bad-manifest':
        return;
    }
  }

  #takeBack({ event }: MonthDay): Promise<void> {
    // A quiet day may lie in an outage.
    if (event === 'none') return Promise.resolve();
    if (event === 'pause') this.#command('resume');
    this.#world.start();
    return Promise.resolve();
  }

  async #kill(day: number, members: readonly Member[], kill: () => Promise<void>): Promise<void> {
    const pids = members.flatMap(({ pid }) => pid ?? []);
    await kill();
    const from = Date.now();
    this.doubts.push(...pids.map((pid) => ({ event: day, pid, from, until: Infinity, inFlight: 0 })));
  }

  /** Runs while the month goes on: a command takes seconds on a busy machine. */
  #command(...words: readonly string[]): void {
    const [command = '', ...rest] = words;
    const run = async (): Promise<void> => {
      const { code, output } = await this.#world.run('schedule', command, this.#schedule, ...rest);
      if (code !== 0) this.#refused.push(`${command}: exit ${String(code)}: ${output.trim().slice(0, 300)}`);
    };
    // One after the other: a resume must not overtake its pause.
    const before = this.#commands.at(-1) ?? Promise.resolve();
    this.#commands.push(before.then(run));
  }
}
