import { existsSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { VoxbatchError } from '../../client/problem.ts';
import { createSchedule } from '../../client/schedules/make-schedule.ts';
import { requireSpec } from '../../client/schedules/check-schedule.ts';
import { showSchedule } from '../../client/schedules/schedule-view.ts';
import type { OccurrenceView } from '../../client/schedules/occurrence-view.ts';
import type { SchedulePlace } from '../../client/schedules/open-schedules.ts';
import { previewSchedule } from '../../client/schedules/survey-schedule.ts';
import { scheduleIdOf } from '../../contract/schedule.ts';
import type { Membership } from '../../embedded/join-server.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import type { WrittenSpec } from '../../policy/schedules/schedule-spec.ts';
import { endAfterTest } from './end-after-test.ts';
import type { Running } from './live-command.ts';
import { LiveWorld } from './live-world.ts';
import { mixedManifest } from './mixed-manifest.ts';
import { waitFor } from './wait-for.ts';

/** Never fires by itself while a test runs. */
export const SELDOM = ['--cron', '0 0 29 2 *'] as const;
const MODEL = 'model';

/** A look asks Temporal and the ledger, so it is not made as often as others, ms. */
const LOOK_GAP_MS = 250;

/** An occurrence; `at`: ms since 1970. */
export type SeenOccurrence = Omit<OccurrenceView, 'at'> & { readonly at: number };

/** What the batches of a schedule are, beside what the world's model says. */
export interface RunWishes {
  /** Default: `lines.csv`. */
  readonly manifest?: string;
  /** Paid requests a second. Default: as fast as it can. */
  readonly rate?: number;
}

/**
 * A {@link LiveWorld} with `voxbatch up`, for all the schedules of a test file: they share its server, worker and simulator, and run at the same
 * time. Schedules that must fire soon after they are made are made in this process; a command would need a second of a busy core first.
 */
export class ScheduleWorld {
  readonly world: LiveWorld;
  /** Of each batch, if its manifest is `lines.csv`. */
  readonly rows: number;
  #up: Running;
  #membership: Membership;
  #client: Client;
  readonly #ledger: Ledger;
  readonly #model: ScheduledRun;
  readonly #realm: { readonly apiUrl: string; readonly account: string };

  private constructor(
    world: LiveWorld,
    rows: number,
    parts: { readonly up: Running; readonly membership: Membership; readonly client: Client; readonly ledger: Ledger },
    model: { readonly run: ScheduledRun; readonly apiUrl: string; readonly account: string },
  ) {
    this.world = world;
    this.rows = rows;
    this.#up = parts.up;
    this.#membership = parts.membership;
    this.#client = parts.client;
    this.#ledger = parts.ledger;
    this.#model = model.run;
    this.#realm = model;
  }

  /** Starts all, with a manifest `lines.csv` of so many rows. */
  static async open(seed: number, rows: number): Promise<ScheduleWorld> {
    const world = await LiveWorld.open({ seed, createMs: [20, 50], jobMs: [100, 400], rows, kinds: ['tts'] });
    const up = await world.startWorking(['up']);
    const { membership, client } = await join(world);
    const ledger = await openLedger(world.path('.voxbatch', 'ledger.db'));
    // Each firing pays for the same rows: what it does is seen in the charges.
    const made = await world.run(['schedule', 'create', MODEL, 'lines.csv', ...SELDOM, '--cache', 'off']);
    if (made.code !== 0) throw new Error(`schedule create ended with ${String(made.code)}: ${made.stderr}`);
    const { run } = await showSchedule({ temporal: { client, namespace: 'default' }, ledger }, MODEL);
    const { settings } = (await ledger.scheduleRecord(MODEL)) ?? {};
    if (run === undefined || settings === undefined) throw new Error('The schedule of this version is not read by it.');
    const model = { run, apiUrl: settings.apiUrl, account: settings.account };
    const here = new ScheduleWorld(world, rows, { up, membership, client, ledger }, model);
    endAfterTest(() => here.close());
    return here;
  }

  get place(): SchedulePlace {
    return { temporal: { client: this.#client, namespace: 'default' }, ledger: this.#ledger };
  }

  get client(): Client {
    return this.#client;
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  /** Runs `voxbatch schedule …`, which must end with 0; returns its stdout. */
  async schedule(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.world.run(['schedule', ...words]);
    if (code !== 0) throw new Error(`schedule ${words.join(' ')} ended with ${String(code)}: ${stderr}`);
    return stdout;
  }

  /** Makes a schedule at once; its parts are written as on the command line. */
  async create(name: string, written: WrittenSpec, { manifest = 'lines.csv', rate }: RunWishes = {}): Promise<void> {
    const tunables = { ...this.#model.tunables, ...(rate === undefined ? {} : { rate }) };
    const run = { ...this.#model, manifest: this.world.path(manifest), tunables };
    await createSchedule(this.place, { name, spec: requireSpec(written, String), run, realm: this.#realm });
  }

  /** Writes a manifest of as many rows as `lines.csv`. */
  async writeManifest(name: string): Promise<void> {
    await this.world.write(name, mixedManifest(this.rows, ['tts']));
  }

  /** A manifest that no batch is made of. */
  async spoilManifest(name: string): Promise<void> {
    await this.world.write(name, 'id,kind,text,voice\nr1,tts,,narrator\n');
  }

  /** All occurrences so far, the oldest first. */
  occurrences(name: string): Promise<readonly SeenOccurrence[]> {
    return this.until(name, () => true);
  }

  async #look(name: string): Promise<readonly SeenOccurrence[]> {
    const { view } = await showSchedule(this.place, name, { from: 0 });
    return view.occurrences.map((one) => ({ ...one, at: Date.parse(one.at) })).toReversed();
  }

  /** Times at which a schedule fires in a range, by the server's word. */
  firings(name: string, from: number, to: number): Promise<readonly number[]> {
    return previewSchedule(this.place, name, { from, to });
  }

  /** When a schedule was made, by the server's clock, rounded down: it fires at each due time after it, even 1 ms after. */
  async madeAt(name: string): Promise<number> {
    const { info } = await this.client.schedule.getHandle(scheduleIdOf(this.ledger.id, name)).describe();
    return info.createdAt.getTime();
  }

  /** Times at which a schedule without jitter fires, from when it was made: one that came while it was being made is not among them. */
  async firingsUntil(name: string, to: number): Promise<readonly number[]> {
    const madeAt = await this.madeAt(name);
    return this.firings(name, madeAt + 1, to);
  }

  /** Waits until something is true of the occurrences of a schedule; returns them, the oldest first. */
  async until(
    name: string,
    holds: (occurrences: readonly SeenOccurrence[]) => boolean | Promise<boolean>,
  ): Promise<readonly SeenOccurrence[]> {
    let all: readonly SeenOccurrence[] = [];
    let silences = 0;
    const look = async (): Promise<boolean> => {
      const found = await this.#look(name).catch(orSilence);
      // The server now and then leaves a question about a schedule without an answer; the next look asks again.
      if (found === undefined) {
        silences += 1;
        return false;
      }
      all = found;
      return holds(all);
    };
    try {
      await waitFor(look, undefined, LOOK_GAP_MS);
    } catch (error) {
      const seen = all.map((one) => `${new Date(one.at).toISOString()} ${JSON.stringify(one)}`);
      const words = `${String(holds)} does not hold; the server was silent ${String(silences)} times. Seen last:`;
      throw new Error([`Schedule "${name}": ${words}`, ...seen].join('\n'), { cause: error });
    }
    return all;
  }

  /** Waits until so many occurrences that took place are over and none runs; returns them, the oldest first. */
  async untilOver(name: string, count: number): Promise<readonly SeenOccurrence[]> {
    const all = await this.until(name, (occurrences) => {
      const took = occurrences.filter(({ state }) => state !== 'skipped');
      return took.length >= count && took.every(isOver);
    });
    return all.filter(({ state }) => state !== 'skipped');
  }

  /** Waits until so many due times are settled: each ran and is over, or was skipped. */
  untilSettled(name: string, count: number): Promise<readonly SeenOccurrence[]> {
    return this.until(name, (all) => all.length >= count && all.every((one) => isOver(one) || one.state === 'skipped'));
  }

  /** Waits until each of these occurrences has its files, which come a moment after its last row. */
  async untilWritten(occurrences: readonly SeenOccurrence[]): Promise<void> {
    await waitFor(() => occurrences.every(({ batch }) => existsSync(this.world.path('out', batch, 'summary.json'))));
  }

  /** SIGKILL of `up`. The server lives on: this process is a member. */
  killUp(): Promise<void> {
    return this.#up.kill();
  }

  /** Starts `up` again. */
  async restartUp(): Promise<void> {
    this.#up = await this.world.startWorking(['up']);
  }

  /** Nothing and nobody is left: SIGKILL of `up` and of the server. */
  async cutPower(): Promise<void> {
    await this.#client.connection.close();
    await this.#membership.leave();
    await this.killUp();
    await this.world.killServer(false);
    await this.world.untilAlone();
  }

  /** The server is started again, by `up`. */
  async restorePower(): Promise<void> {
    await this.restartUp();
    const { membership, client } = await join(this.world);
    [this.#membership, this.#client] = [membership, client];
  }

  /** Ends all in order; throws if `up` does not end with 0. */
  private async close(): Promise<void> {
    await this.#ledger.close();
    await this.#client.connection.close();
    await this.#membership.leave();
    await this.#up.endInOrder();
  }
}

async function join(world: LiveWorld): Promise<{ readonly membership: Membership; readonly client: Client }> {
  const membership = await world.join();
  return { membership, client: new Client({ connection: await Connection.connect({ address: membership.address }) }) };
}

function isOver({ state }: SeenOccurrence): boolean {
  return state === 'ended' || state === 'failed';
}

function orSilence(error: unknown): undefined {
  if (!(error instanceof VoxbatchError && error.problem.type === 'schedule-silent')) throw error;
}
