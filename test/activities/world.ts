import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchCache } from '../../activities/cache/batch-cache.ts';
import type { Dependencies } from '../../activities/dependencies.ts';
import type { FaultPoint } from '../../activities/fault-points.ts';
import { createSpeechApi } from '../../api/create-api.ts';
import type { VoiceWait } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChargeRecord, RowRecord } from '../../ledger/record-types.ts';
import {
  startSimulator,
  type LedgerEntry,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator/start-simulator.ts';
import { openFolderStore } from '../../store/folder-store.ts';
import { stemOf } from '../../store/layout.ts';
import { dependenciesOf } from '../../worker/dependencies.ts';
import { BATCH, settingsOf, type Wanted } from './rows.ts';
import { Hold, Worker } from './worker.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { openTestLedger } from '../support/open-test-ledger.ts';

const ACCOUNT = 'u1';

/** What a worker of a test may have of its own. */
export interface WorkerOptions {
  readonly atFaultPoint?: Dependencies['atFaultPoint'];
  readonly clock?: Dependencies['clock'];
  /** Base address of the API. Default: the simulator's. The batch must have the same. */
  readonly apiUrl?: string;
  readonly token?: string;
  readonly requestTimeoutMs?: number;
  /** Where jobs have their links, besides the names that are known. */
  readonly resultMembers?: readonly string[];
  /** Changes the parts before they are wired. */
  readonly change?: (deps: Dependencies) => Partial<Dependencies>;
}

/** A simulator without latency, and a folder for a ledger and a store; all of it is gone after the test. */
export async function createWorld(options: SimulatorOptions = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-activities-'));
  const simulator = await startSimulator({ createMs: [0, 0], jobMs: [0, 0], ...options });
  const world = new World(folder, simulator);
  endAfterTest(() => world.close());
  return world;
}

/** Where workers meet: one service, one ledger file, one store. */
export class World {
  readonly folder: string;
  readonly simulator: Simulator;
  readonly #workers: Worker[] = [];
  readonly #started: Promise<unknown>[] = [];
  readonly #teardown = new AbortController();
  #ledger: Ledger | undefined;

  constructor(folder: string, simulator: Simulator) {
    this.folder = folder;
    this.simulator = simulator;
    setMaxListeners(0, this.#teardown.signal);
  }

  /** A worker as another process would be: only the files and the service are shared. */
  async worker(options: WorkerOptions = {}): Promise<Worker> {
    const ledger = await this.openLedger();
    const apiUrl = options.apiUrl ?? this.simulator.url;
    const { requestTimeoutMs, resultMembers, token = this.simulator.token } = options;
    const api = createSpeechApi({
      baseUrl: apiUrl,
      token,
      ...defined({ requestTimeoutMs, resultMembers }),
    });
    const faults: Error[] = [];
    const [ending, cutting] = [new AbortController(), new AbortController()];
    // As in a real worker: all of its requests listen.
    setMaxListeners(0, ending.signal, cutting.signal);
    const wired = dependenciesOf(
      {
        ledger,
        store: openFolderStore(join(this.folder, 'store')),
        api,
        realm: { apiUrl, account: ACCOUNT, ledgerId: ledger.id },
        owner: `worker ${randomUUID()}`,
        observe: () => undefined,
        voxbatchVersion: 'test',
        onFault: (fault) => faults.push(fault),
        ...(options.atFaultPoint === undefined ? {} : { atFaultPoint: options.atFaultPoint }),
      },
      ending.signal,
      cutting.signal,
    );
    // What a test has just changed is to be seen at once.
    const batches = new BatchCache(ledger, 0);
    const deps = { ...wired, batches, ...(options.clock === undefined ? {} : { clock: options.clock }) };
    const worker = new Worker({ ...deps, ...options.change?.(deps) }, faults, ending, (work) => {
      this.#note(work);
    });
    this.#workers.push(worker);
    return worker;
  }

  /** One more connection to the ledger's file; the caller or the worker that has it closes it. */
  openLedger(): Promise<Ledger> {
    return openTestLedger(join(this.folder, 'ledger.db'));
  }

  /** Makes the batch, open, with these rows. */
  async fill(
    specs: readonly RowSpec[],
    wanted: Wanted & {
      readonly apiUrl?: string;
      readonly name?: string;
      /** What each row waits for. */
      readonly waits?: readonly (VoiceWait | undefined)[];
    } = {},
  ): Promise<void> {
    const { apiUrl = this.simulator.url, name = BATCH, waits = [], ...settings } = wanted;
    const ledger = await this.look();
    await ledger.createBatch({
      name,
      digest: 'd1',
      apiUrl,
      account: ACCOUNT,
      settings: settingsOf(settings),
      columns: ['id'],
      source: 'b.csv',
    });
    await ledger.addRows(
      name,
      specs.map((spec, index) => ({
        row: index + 1,
        id: `r${index + 1}`,
        line: index + 2,
        spec,
        input: [],
        quoted: 1,
        ...defined({ waitsFor: waits[index] }),
      })),
    );
    await ledger.openBatch(name, specs.length);
  }

  /** The ledger, for looking. */
  async look(): Promise<Ledger> {
    this.#ledger ??= await this.openLedger();
    return this.#ledger;
  }

  async row(row: number, batch = BATCH): Promise<RowRecord & { readonly charges: readonly ChargeRecord[] }> {
    const found = await (await this.look()).readRow(batch, row);
    if (found === undefined) throw new Error(`there is no row ${row}`);
    return { ...found.row, charges: found.charges };
  }

  /** Stem of the stored result of a step. */
  async stem(row: number, step = 'speech', take = 1): Promise<string> {
    const batch = await (await this.look()).findBatch(BATCH);
    if (batch === undefined) throw new Error('there is no batch');
    return stemOf(batch.layout, { row, step, take });
  }

  /** The attempts of a row as words: `speech 1 not-accepted`. */
  async attempts(row: number, batch = BATCH): Promise<string[]> {
    return (await this.row(row, batch)).charges.map(({ step, attempt, state }) => `${step} ${attempt} ${state}`);
  }

  /** Accepted paid requests: the only count of charges that counts. */
  charges(): LedgerEntry[] {
    return this.simulator.ledger();
  }

  /** Every paid request that came in, accepted or not. */
  async paidRequests(): Promise<number> {
    return (await this.statistics()).paidRequests;
  }

  /** What the simulator counted, by route and status. */
  async statistics(): Promise<{
    paidRequests: number;
    endpoints: Record<string, Record<string, number>>;
    creates: { at: number }[];
    foreignAuthorizations: number;
  }> {
    const answer = await fetch(new URL('/__simulator/stats', this.simulator.url));
    return (await answer.json()) as Awaited<ReturnType<World['statistics']>>;
  }

  /** Changes the simulator while it runs: its fault plan, or its account. */
  async change(what: 'plan' | 'settings', value: unknown): Promise<void> {
    const answer = await fetch(new URL(`/__simulator/${what}`, this.simulator.url), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** Holds whoever comes to a moment, until released or, for good, until the end of the test. */
  holdAt(moment: FaultPoint): Hold {
    return new Hold(moment, this.never());
  }

  /** What never comes in the life of a killed process; it ends, in a rejection, with the test. */
  never<T>(): Promise<T> {
    const { signal } = this.#teardown;
    const never = new Promise<T>((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
    never.catch(() => undefined);
    return never;
  }

  async close(): Promise<void> {
    for (const worker of this.#workers) worker.stop();
    this.#teardown.abort(new Error('the test is over'));
    await this.simulator.close();
    await Promise.allSettled(this.#started);
    for (const { deps } of this.#workers) {
      await deps.fetches.idle();
      deps.api.close();
      await deps.store.close();
      await deps.ledger.close();
    }
    await this.#ledger?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  #note(work: Promise<unknown>): void {
    this.#started.push(work);
    // Killed work is never awaited by its test.
    work.catch(() => undefined);
  }
}
