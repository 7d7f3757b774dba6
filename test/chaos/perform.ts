import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { losesAnswers, kindOf, type At, type ChaosEvent, type Deed, type ServerName } from './event-plan.ts';
import type { Finding } from './finding.ts';
import type { KillableServer } from './killable-server.ts';
import { readAttempts } from './ledger-view.ts';
import type { Member } from './member.ts';
import { sortIntoWindows, submitsInFlight, WindowTable, type WindowCounts } from './windows.ts';
import type { World } from './world.ts';

/** A time in which requests could lose their answer: those of one process, or, without a pid, of all. */
export interface Doubt {
  readonly event: number;
  readonly pid?: number;
  readonly from: number;
  readonly until: number;
  /** Requests between intent and verdict when it began. */
  readonly inFlight: number;
}

/** A named moment may not come any more; then the worker is struck where it is, after this long, ms. */
const MOMENT_MS = 15_000;

/** Does to a world what events say, several at once, but one after another to the same target. Keeps book of what was hit. */
export class Performer {
  readonly windows = new WindowTable();
  readonly doubts: Doubt[] = [];
  kills = 0;
  /** Connections that were cut at a commit. */
  cuts = 0;
  /** The most requests of a batch that an event found between intent and verdict. */
  readonly #mostOnWire = new Map<string, number>();
  readonly #world: World;
  readonly #say: (line: string) => void;
  readonly #turns = new Map<string, LimitFunction>();

  constructor(world: World, say: (line: string) => void) {
    this.#world = world;
    this.#say = say;
  }

  /** Performs an event; resolves when it is over and taken back. */
  perform(event: ChaosEvent): Promise<void> {
    const { deed } = event;
    const targets = targetsOf(deed);
    const turns = targets.map((target) => this.#turnOf(target));
    // In a fixed order, so that two events never wait for each other.
    return turns.reduceRight<() => Promise<void>>(
      (inner, turn) => () => turn(inner),
      () => this.#do(event, deed),
    )();
  }

  /** Whether no event ever found more requests on the wire than a kill may leave in doubt. */
  checkWire(submits: number): Finding {
    const most = [...this.#mostOnWire].map(([batch, count]) => `${batch}: ${count}`);
    return {
      promise: `at most ${submits} requests of a batch are on the wire at any event`,
      broken: [...this.#mostOnWire]
        .filter(([, count]) => count > submits)
        .map(([batch, count]) => `${batch}: ${count}`),
      seen: most.join(', '),
    };
  }

  /** Whether as many processes were killed as planned; batches that end too soon would prove less than they seem to. */
  checkKills(planned: number): Finding {
    const broken = this.kills >= planned ? [] : [`${this.kills} were; the batches ended before the rest`];
    return { promise: `${planned} processes are killed in mid-batch`, broken, seen: `${this.kills} kills` };
  }

  async #do(event: ChaosEvent, deed: Deed): Promise<void> {
    const { workers, ledger, proxy, runs } = this.#world;
    switch (deed.do) {
      case 'kill-worker':
        await this.#killWorker(event, workers[deed.worker], deed.at);
        await sleep(deed.downMs);
        workers[deed.worker].start();
        return;
      case 'kill-both':
        await Promise.all(workers.map((worker) => this.#killWorker(event, worker, undefined)));
        await sleep(deed.downMs);
        for (const worker of workers) worker.start();
        return;
      case 'kill-run': {
        const all = [...runs.values()];
        // A batch that has ended leaves the other's command.
        const run = [...all.slice(deed.batch), ...all].find(({ isUp }) => isUp);
        if (run === undefined) return;
        await run.kill();
        this.kills += 1;
        await this.#note(event);
        await sleep(deed.downMs);
        run.start();
        return;
      }
      case 'kill-temporal':
      case 'kill-database':
      case 'kill-store':
        await this.#killServer(event, this.#serverOf(deed.do), deed.downMs);
        return;
      case 'cut-commits':
        await this.#note(event);
        this.cuts += (await ledger.server?.cutCommits(deed.moment, deed.count, MOMENT_MS)) ?? 0;
        return;
      case 'stop-worker':
        await this.#stopWorker(event, workers[deed.worker], deed.at, deed.stillMs);
        return;
      case 'spoil': {
        const from = Date.now();
        const counts = await this.#note(event);
        const heal = await proxy.spoil(deed.link, deed.toxic);
        await sleep(deed.lastsMs);
        await heal();
        // A connection that was spoiled may end a moment after the fault was taken off.
        if (losesAnswers(deed)) this.#doubt(event, counts, from, Date.now() + 2_000);
      }
    }
  }

  async #killServer(event: ChaosEvent, server: KillableServer | undefined, downMs: number): Promise<void> {
    if (server === undefined) return;
    // Before: the ledger may be on it.
    await this.#note(event);
    await server.kill();
    this.kills += 1;
    await sleep(downMs);
    await server.start();
  }

  #serverOf(deed: `kill-${ServerName}`): KillableServer | undefined {
    const { temporal, ledger, store } = this.#world;
    return { 'kill-temporal': temporal, 'kill-database': ledger.server, 'kill-store': store.server }[deed];
  }

  async #killWorker(event: ChaosEvent, worker: Member, at: At | undefined): Promise<void> {
    const pid = await this.#untilUp(worker);
    const struck = at !== undefined && (await worker.strikeAt(at.moment, at.nth, 'SIGKILL', MOMENT_MS));
    await worker.kill();
    const from = Date.now();
    this.kills += 1;
    const counts = await this.#note(event, pid, at !== undefined && !struck);
    this.#doubt(event, counts, from, Infinity, pid);
  }

  async #stopWorker(event: ChaosEvent, worker: Member, at: At | undefined, stillMs: number): Promise<void> {
    const pid = await this.#untilUp(worker);
    const struck = at !== undefined && (await worker.strikeAt(at.moment, at.nth, 'SIGSTOP', MOMENT_MS));
    if (!struck) await worker.stop();
    const from = Date.now() - 1_000;
    const counts = await this.#note(event, pid, at !== undefined && !struck);
    await sleep(stillMs);
    worker.goOn();
    this.#doubt(event, counts, from, Date.now() + 2_000, pid);
  }

  /** Waits until a worker is there; one that was just started may take a moment until it works. */
  async #untilUp(worker: Member): Promise<number> {
    while (worker.pid === undefined) await sleep(100);
    return worker.pid;
  }

  /** Looks which windows are hit, and tells it. */
  async #note(event: ChaosEvent, pid?: number, missed = false): Promise<WindowCounts> {
    const charges = await this.#world.judge.ledger();
    const open = await readAttempts(this.#world.ledger.address, 'open');
    const counts = sortIntoWindows(open, charges, pid);
    for (const batch of this.#world.runs.keys()) {
      const sending = open.filter((attempt) => attempt.batch === batch && attempt.state === 'sending').length;
      this.#mostOnWire.set(batch, Math.max(sending, this.#mostOnWire.get(batch) ?? 0));
    }
    const kind = kindOf(event.deed);
    this.windows.add(missed ? `${kind} (did not come)` : kind, counts);
    const told = [...counts].map(([window, count]) => `${count} ${window}`).join(', ');
    this.#say(
      `  #${event.number} ${kind}${missed ? ' (did not come)' : ''}${pid === undefined ? '' : ` pid ${pid}`}: ${told}`,
    );
    return counts;
  }

  #doubt(event: ChaosEvent, counts: WindowCounts, from: number, until: number, pid?: number): void {
    const doubt = { event: event.number, from, until, inFlight: submitsInFlight(counts) };
    this.doubts.push(pid === undefined ? doubt : { ...doubt, pid });
  }

  #turnOf(target: string): LimitFunction {
    const turn = this.#turns.get(target) ?? pLimit(1);
    this.#turns.set(target, turn);
    return turn;
  }
}

function targetsOf(deed: Deed): readonly string[] {
  switch (deed.do) {
    case 'kill-worker':
    case 'stop-worker':
      return [`worker ${deed.worker}`];
    case 'kill-both':
      return ['worker 0', 'worker 1'];
    case 'kill-run':
      return ['runs'];
    case 'kill-temporal':
    case 'kill-database':
    case 'kill-store':
    case 'cut-commits':
      return [deed.do];
    case 'spoil':
      return [`link ${deed.link}`];
  }
}
