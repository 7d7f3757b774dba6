import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { SubmitReport } from '../../activities/attempt.ts';
import { BatchCache } from '../../activities/cache/batch-cache.ts';
import type { Dependencies } from '../../activities/dependencies.ts';
import type { FaultPoint } from '../../activities/fault-points.ts';
import { createSpeechApi } from '../../api/create-api.ts';
import type { SpeechApi } from '../../api/speech-api.ts';
import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import { withLostFiles } from '../../batches/redrive/lost-files.ts';
import { draftRedrive, openRows } from '../../batches/redrive/redrive.ts';
import { chosenRows, type FoundRows, type RedriveSelection, rulesOf } from '../../batches/redrive/selection.ts';
import type { VoiceWait } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import type { LaneReport } from '../../contract/activities.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import type { LoadedRow, RowRecord } from '../../ledger/rows/row-records.ts';
import {
  startSimulator,
  type FaultPlan,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator/start-simulator.ts';
import { openFolderBytes } from '../../store/folder-bytes.ts';
import { openMediaStore } from '../../store/media-store.ts';
import { jobStemOf, stemOf } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import { createDependencies } from '../../worker/dependencies.ts';
import { BATCH, keyOf, settingsOf, tts, type Rule, type Wanted } from './rows.ts';
import { RunningService } from './running-service.ts';
import { fastClock, Worker } from './worker.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { openTestLedger } from '../support/open-test-ledger.ts';
import { lazyFileReader } from '../../store/open-store.ts';
import { ANN } from '../support/ann.ts';

const ACCOUNT = 'u1';

/** What a worker of a test may have of its own. */
export interface WorkerOptions {
  readonly atFaultPoint?: Dependencies['atFaultPoint'];
  readonly clock?: Dependencies['clock'];
  /** Base address of the API. Default: the simulator's. The batch must have the same. */
  readonly apiUrl?: string;
  readonly token?: string;
  /** Where jobs have their links, besides the names that are known. */
  readonly resultMembers?: readonly string[];
  /** Calls that go another way than those of the real part. */
  readonly ledger?: (ledger: Ledger) => Partial<Ledger>;
  readonly store?: (store: Store) => Partial<Store>;
  readonly api?: (api: SpeechApi) => Partial<SpeechApi>;
  /** Changes any part, after these. */
  readonly change?: (deps: Dependencies) => Partial<Dependencies>;
}

/** The simulator of a test; its faults and how its lists look need no plan of their own. */
export type Service = Omit<SimulatorOptions, 'plan'> & FaultPlan;

/** The batch of a test. */
export interface Filling extends Wanted {
  readonly apiUrl?: string;
  readonly name?: string;
  /** What each row waits for. */
  readonly waits?: readonly (VoiceWait | undefined)[];
}

/** A worker that stands still at a moment of its work: killed if it is never released, a zombie otherwise. */
export interface Stopped<T> {
  readonly worker: Worker;
  readonly ended: Promise<T>;
  readonly release: () => void;
}

/** A simulator without latency, and a folder for a ledger and a store; all of it is gone after the test. */
export async function createWorld({ rules, echoInputs, ...service }: Service = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-activities-'));
  const plan: FaultPlan = defined({ rules, echoInputs });
  const simulator = await startSimulator({ createMs: [0, 0], jobMs: [0, 0], plan, ...service });
  const world = new World(folder, simulator, await openTestLedger(join(folder, 'ledger.db')));
  endAfterTest(() => world.close());
  return world;
}

/** A world with the batch of these rows, and a worker that has done nothing yet. */
export async function begin(
  specs: readonly RowSpec[],
  { wanted, service, ...options }: Beginning = {},
): Promise<{ readonly world: World; readonly worker: Worker }> {
  const { rules, echoInputs, shape, jobMs, createMs } = options;
  const world = await createWorld({ ...defined({ rules, echoInputs, shape, jobMs, createMs }), ...service });
  await world.fill(specs, wanted);
  return { world, worker: await world.worker(options) };
}

/** What a test begins with: options of the worker, and those of the simulator that tests need most. */
export interface Beginning
  extends WorkerOptions, Pick<Service, 'rules' | 'echoInputs' | 'shape' | 'jobMs' | 'createMs'> {
  readonly service?: Service;
  readonly wanted?: Filling;
}

/** A tts row whose job was accepted by a service with these faults, and a worker for whom minutes pass in a second. */
export async function withJob(
  rule: Rule | readonly Rule[],
  jobDeadlineMs = 3_600_000,
): Promise<{ readonly world: World; readonly worker: Worker }> {
  // Sent by another one: where minutes pass in a second, a request is late at once.
  const { world, worker } = await begin([tts()], { rules: [rule].flat(), wanted: { jobDeadlineMs } });
  await worker.submit(keyOf(1));
  return { world, worker: await world.worker({ clock: fastClock(60) }) };
}

/** Where workers meet: one service, one ledger file, one store. */
export class World extends RunningService {
  readonly folder: string;
  /** For looking, and for what persons do. */
  readonly ledger: Ledger;
  readonly #workers: Worker[] = [];
  readonly #started: Promise<unknown>[] = [];
  readonly #teardown = new AbortController();

  constructor(folder: string, simulator: Simulator, ledger: Ledger) {
    super(simulator);
    this.folder = folder;
    this.ledger = ledger;
    setMaxListeners(0, this.#teardown.signal);
  }

  /** A worker as another process would be: only the files and the service are shared. */
  async worker(options: WorkerOptions = {}): Promise<Worker> {
    const real = await openTestLedger(join(this.folder, 'ledger.db'));
    const ledger: Ledger = { ...real, ...options.ledger?.(real) };
    const { atFaultPoint, clock, resultMembers, apiUrl = this.simulator.url, token = this.simulator.token } = options;
    const api = createSpeechApi({ baseUrl: apiUrl, token, ...defined({ resultMembers }) });
    const store = openMediaStore(openFolderBytes(join(this.folder, 'store')));
    const faults: Error[] = [];
    const [ending, cutting] = [new AbortController(), new AbortController()];
    // As in a real worker: all of its requests listen.
    setMaxListeners(0, ending.signal, cutting.signal);
    const wired = createDependencies(
      {
        ledger,
        store: { ...store, ...options.store?.(store) },
        api: { ...api, ...options.api?.(api) },
        realm: { apiUrl, account: ACCOUNT, ledgerId: ledger.id },
        owner: `worker ${randomUUID()}`,
        observe: () => undefined,
        voxbatchVersion: 'test',
        onFault: (fault) => faults.push(fault),
        askEveryMs: 50,
        ...defined({ atFaultPoint }),
      },
      { ending: ending.signal, cutting: cutting.signal },
    );
    // What a test has just changed is to be seen at once.
    const deps = { ...wired, batches: new BatchCache(ledger, 0), ...defined({ clock }) };
    const worker = new Worker({ ...deps, ...options.change?.(deps) }, faults, ending, (work) => {
      this.#note(work);
    });
    this.#workers.push(worker);
    return worker;
  }

  /** Makes the batch, open, with these rows. */
  async fill(specs: readonly RowSpec[], { waits = [], ...wanted }: Filling = {}): Promise<void> {
    await this.#load(
      specs.map((spec, at) => ({ ...this.#rowOf(at + 1, spec), ...defined({ waitsFor: waits[at] }) })),
      wanted,
    );
  }

  /** Makes the batch of one row whose text is spoken in parts, which are rows 2, 3, … */
  async fillInParts(parts: readonly string[], wanted: Filling = {}, spoken: Partial<RowSpec> = {}): Promise<void> {
    const rows = parts.map((text) => ({ spec: { ...tts(text), ...spoken }, quoted: 1 }));
    const row = this.#rowOf(1, { ...tts(parts.join(' ')), ...spoken });
    await this.#load([{ ...row, quoted: rows.length, parts: { first: 2, rows } }], wanted);
  }

  #rowOf(row: number, spec: RowSpec): LoadedRow {
    return { row, id: `r${row}`, line: row + 1, spec, input: [`r${row}`], quoted: 1 };
  }

  async #load(rows: readonly LoadedRow[], wanted: Omit<Filling, 'waits'>): Promise<void> {
    const { apiUrl = this.simulator.url, name = BATCH, ...settings } = wanted;
    const batch = { name, digest: 'd1', apiUrl, account: ACCOUNT, columns: ['id'], source: 'b.csv' };
    const loading = await this.ledger.createBatch({ ...batch, settings: settingsOf(settings) });
    await this.ledger.addRows(loading, rows);
    await this.ledger.openBatch(loading, rows.length);
  }

  async batch(name = BATCH): Promise<BatchRecord> {
    const batch = await this.ledger.findBatch(name);
    if (batch === undefined) throw new Error(`there is no batch ${name}`);
    return batch;
  }

  async row(row = 1, batch = BATCH): Promise<RowRecord & { readonly charges: readonly ChargeRecord[] }> {
    const found = await this.ledger.readRow(batch, row);
    if (found === undefined) throw new Error(`there is no row ${row}`);
    return { ...found.row, charges: found.charges };
  }

  /** Outcomes of the rows of a batch, in order. */
  async outcomes(batch = BATCH): Promise<(Outcome | null)[]> {
    const { rows } = await this.batch(batch);
    return Promise.all(Array.from({ length: rows }, async (_, at) => (await this.row(at + 1, batch)).outcome));
  }

  /** Stem of the stored result of a step. */
  async stem(row = 1, step = 'speech', take = 1): Promise<string> {
    const { layout } = await this.batch();
    const { charges } = await this.row(row);
    const jobId = charges.findLast((charge) => charge.step === step && charge.take === take)?.jobId ?? undefined;
    return jobId === undefined ? stemOf(layout, { row, step, take }) : jobStemOf(layout, { row, step, take }, jobId);
  }

  /** Where the file of a row is. */
  async pathOf(row = 1, batch = BATCH): Promise<string> {
    const { file } = await this.row(row, batch);
    if (file === null) throw new Error(`row ${row} of ${batch} has no file`);
    return join(this.folder, 'store', file.key);
  }

  /** The attempts of a row as words: `speech 1 not-accepted`. */
  async attempts(row = 1, batch = BATCH): Promise<string[]> {
    return (await this.row(row, batch)).charges.map(({ step, attempt, state }) => `${step} ${attempt} ${state}`);
  }

  /** Lets a worker begin some work, and waits until it stands still at this moment of it. */
  async stopAt<T = SubmitReport>(
    moment: FaultPoint,
    work: (worker: Worker) => Promise<T> = (worker) => worker.submit(keyOf(1)) as Promise<T>,
    options: WorkerOptions = {},
  ): Promise<Stopped<T>> {
    const { atFaultPoint, reached, release } = this.holdAt(moment);
    const worker = await this.worker({ ...options, atFaultPoint });
    const ended = work(worker);
    ended.catch(() => undefined);
    await reached;
    return { worker, ended, release };
  }

  /** Holds whoever comes to a moment, until released or, for good, until the end of the test. */
  holdAt(moment: FaultPoint): Hold {
    let [come, release] = [(): void => undefined, (): void => undefined];
    const reached = Promise.race([this.never(), new Promise<void>((resolve) => (come = resolve))]);
    const released = Promise.race([this.never(), new Promise<void>((resolve) => (release = resolve))]);
    for (const end of [reached, released]) end.catch(() => undefined);
    const atFaultPoint: Hold['atFaultPoint'] = (now) => {
      if (now !== moment) return;
      come();
      return released;
    };
    return { atFaultPoint, reached, release };
  }

  /** What never comes in the life of a killed process; it ends, in a rejection, with the test. */
  never<T = never>(): Promise<T> {
    const { signal } = this.#teardown;
    const never = new Promise<T>((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
    never.catch(() => undefined);
    return never;
  }

  /** A new worker works on a batch until nothing is left to do. */
  async work(batch = BATCH): Promise<LaneReport> {
    return (await this.worker()).work(batch);
  }

  /** Makes a batch of that name that uses earlier results, and works on it to its end. */
  async run(name: string, specs: readonly RowSpec[], wanted: Wanted = {}, worker?: Worker): Promise<void> {
    await this.fill(specs, { name, cache: 'on', ...wanted });
    await (worker ?? (await this.worker())).work(name);
  }

  /** Damages the stored file of a row, under no other of its names. */
  async damage(row = 1, batch = BATCH, how: 'missing' | 'altered' = 'altered'): Promise<void> {
    const { file } = await this.row(row, batch);
    const path = await this.pathOf(row, batch);
    await rm(path);
    if (how === 'altered') await writeFile(path, 'x'.repeat(file?.bytes ?? 0));
  }

  /** What `voxbatch redrive` would do, of row 1 if no others are selected; `ROW/TAKE` is a take of a row. */
  async draft(
    { rows: named = ['1'], ...rest }: RedriveSelection = {},
    batch = BATCH,
    requireOwn = (): Promise<void> => Promise.resolve(),
  ): Promise<{ readonly rows: FoundRows; readonly draft: RedriveDraft }> {
    const { ledger } = this;
    const folder = join(this.folder, 'store');
    const rules = rulesOf({ ...rest, rows: named });
    const takes = named.flatMap((name): [number, number][] => {
      const [row, take] = name.split('/').map(Number);
      return row === undefined || take === undefined ? [] : [[row, take]];
    });
    const rows = withLostFiles(
      chosenRows(ledger, batch, { rows: named.map((name) => Number.parseInt(name, 10)) }, new Map(takes)),
      {
        ledger,
        batch,
        store: {
          files: lazyFileReader(folder),
          requireOwn,
          rewrite: ({ file, text }) => writeFile(join(folder, file.key), text),
        },
      },
      rules,
    );
    return { rows, draft: await draftRedrive(ledger, await this.batch(batch), rows, rules) };
  }

  /** As `voxbatch redrive` does with one row, without the work. Returns what it will pay for, and the rows whose jobs are read again. */
  async open(wish: RedriveSelection = {}, batch = BATCH): Promise<{ readonly paying: number; readonly waits: number }> {
    const { rows, draft } = await this.draft(wish, batch);
    expect(await openRows(this.ledger, batch, draft, rows, ANN)).toMatchObject({ type: 'opened', opened: 1 });
    return { paying: draft.paying, waits: draft.waits };
  }

  /** The same, and then the work. */
  async redrive(wish: RedriveSelection = {}, batch = BATCH, worker?: Worker): ReturnType<World['open']> {
    const announced = await this.open(wish, batch);
    await (worker ?? (await this.worker())).work(batch);
    return announced;
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
    await this.ledger.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  #note(work: Promise<unknown>): void {
    this.#started.push(work);
    // Killed work is never awaited by its test.
    work.catch(() => undefined);
  }
}

/** Holds whoever comes to its fault point, until released. */
export interface Hold {
  readonly atFaultPoint: NonNullable<WorkerOptions['atFaultPoint']>;
  /** Resolves when somebody has come. */
  readonly reached: Promise<void>;
  readonly release: () => void;
}
