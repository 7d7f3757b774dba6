import { expect } from '@jest/globals';
import { nextMoveFor } from '../../../activities/attempt.ts';
import type { AttemptKey, BatchSettings, RowAttempt } from '../../../contract/batch.ts';
import { BUILT_IN_PRICES, operationOf, resultStepOf, stepsIn, type Operation } from '../../../contract/row-kinds.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import type { LaneOwnership } from '../../../ledger/lanes/lanes.ts';
import type { LoadedRow, RowSnapshot } from '../../../ledger/rows/row-records.ts';
import type { RowEffect } from '../../../ledger/rows/row-effects.ts';
import { quoteFrom } from '../../../policy/money/pricing.ts';
import { FAILED, FILE, JOB_FAILED, LOST, UNKNOWN, WAITING } from '../actions.ts';
import { aBatch, aRow, ledger, load } from '../setup.ts';

/** Batches under budgets on a real ledger, worked on by lanes that are killed, and an API in this process that charges as it likes. */

const LANES = [1, 2] as const;
/** Rows that a lane has at once. */
const HELD = 3;

/** How the API treats a request. */
export interface Treatment {
  /** What it charges ÷ the quote, unless the batch says; never less than the least charge. */
  readonly factor: number;
  /** What it says at acceptance ÷ what it charges at the end; null: nothing. */
  readonly announced: number | null;
  readonly answer: 'accepts' | 'refuses' | 'is-lost';
  readonly job: 'succeeds' | 'fails';
}

/** A request that the ledger has allowed. */
interface Request {
  readonly key: AttemptKey;
  readonly operation: Operation;
  readonly quoted: number;
  readonly charge: number;
  readonly treatment: Treatment;
  readonly last: boolean;
  /** Undefined once the lane that sends it is dead. */
  sender: Lane | undefined;
  /** Whether it reached the API, which charges for it. */
  isSent: boolean;
  state: 'on-the-wire' | 'running' | 'lost' | 'over';
}

interface Lane extends LaneOwnership {
  readonly rows: Map<number, number>;
}

export type RowsOfBatch = readonly (RowSpec | readonly RowSpec[])[];

/** One batch. */
export class BudgetWorld {
  readonly #name: string;
  readonly #settings: BatchSettings;
  readonly #steady: number | null;
  readonly #least: number;
  readonly #lanes: Lane[] = [];
  readonly #requests: Request[] = [];
  /** What the API has told. */
  readonly #heard: { readonly operation: Operation; readonly quoted: number; readonly credits: number }[] = [];
  #lives = 0;
  /** By how much what was open at the last request that the ledger allowed is charged beyond what was known to be possible then, credits. */
  #excess = 0;

  private constructor(name: string, settings: BatchSettings, { steady, least }: Wanted) {
    this.#name = name;
    this.#settings = settings;
    this.#steady = steady;
    this.#least = least;
  }

  /** Makes the batch. A list of specs is a row in parts. */
  static async make({ name, account, rows, ...change }: Wanted & BatchName): Promise<BudgetWorld> {
    const stated = aBatch().settings;
    const { isEstimate, budget, retakes } = change;
    const settings = { ...stated, prices: isEstimate ? BUILT_IN_PRICES : stated.prices, budget, retakes };
    const world = new BudgetWorld(name, settings, { rows, ...change });
    const price = (spec: RowSpec): number => world.#quotes(spec).reduce((sum, quote) => sum + quote, 0);
    let first = rows.length + 1;
    const lines = rows.map((row, index): LoadedRow => {
      const parts = [row].flat().map((spec) => ({ spec, quoted: price(spec) }));
      const [part] = parts;
      if (part === undefined) throw new Error('a row has a part at least');
      const line = { ...aRow(index + 1), spec: part.spec, quoted: parts.reduce((sum, { quoted }) => sum + quoted, 0) };
      if (parts.length === 1) return line;
      first += parts.length;
      return { ...line, parts: { first: first - parts.length, rows: parts } };
    });
    await load(lines, { name, account, settings });
    for (const lane of LANES) world.#lanes.push(await world.#acquire(lane));
    return world;
  }

  /** What the API has charged, credits. */
  get charged(): number {
    return this.#requests.reduce((sum, { isSent, charge }) => sum + (isSent ? charge : 0), 0);
  }

  get excess(): number {
    return this.#excess;
  }

  /** A lane claims, and does what one of its rows needs. Returns whether anything has changed. */
  async work(which: number, pick: number, treatment: Treatment): Promise<boolean> {
    const lane = pickOf(this.#lanes, which);
    if (lane === undefined) return false;
    const limit = Math.max(0, HELD - lane.rows.size);
    const claim = await ledger.claimRows({ ...lane, limit, maxReserved: HELD });
    if (claim === 'lost') throw new Error('the lane has one holder here');
    for (const { row } of claim.rows) lane.rows.set(row.row, row.fence);
    const row = pickOf([...lane.rows.keys()], pick);
    if (row === undefined) return claim.rows.length > 0;
    const fence = lane.rows.get(row);
    const standing = await ledger.readRow(this.#name, row);
    if (standing === undefined || fence === undefined) throw new Error(`there is no row ${String(row)}`);
    if (standing.row.parts !== null) return this.#join(lane, standing);
    const next = nextMoveFor({ fence }, standing);
    if (next.type === 'ended') return lane.rows.delete(row);
    if (next.type === 'wait') return false;
    const key = { batch: this.#name, ...next.at };
    if (next.type === 'reconcile') return this.#reconcile(key, treatment);
    return this.#submit(lane, standing, key, treatment);
  }

  /** The next thing happens to a request on the wire: it reaches the API, then its answer comes. */
  async answer(pick: number): Promise<boolean> {
    const request = pickOf(
      this.#requests.filter(({ state, sender }) => state === 'on-the-wire' && sender !== undefined),
      pick,
    );
    if (request === undefined) return false;
    const { treatment, key } = request;
    if (treatment.answer === 'refuses') {
      request.state = 'over';
      await ledger.settle(key, { verdict: 'not-accepted' }, { state: 'waiting' });
    } else if (!request.isSent) {
      request.isSent = true;
    } else if (treatment.answer === 'is-lost') {
      request.state = 'lost';
      await ledger.settle(key, { verdict: 'unknown', failure: LOST }, UNKNOWN);
    } else {
      await this.#accept(request);
    }
    return true;
  }

  /** A running job ends, and tells what it was charged. */
  async endJob(pick: number): Promise<boolean> {
    const request = pickOf(
      this.#requests.filter(({ state }) => state === 'running'),
      pick,
    );
    if (request === undefined) return false;
    const { key, charge, treatment, last } = request;
    request.state = 'over';
    this.#hear(request, charge);
    if (treatment.job === 'succeeds') {
      await ledger.finishJob(key, { credits: charge, file: FILE }, effectOf(last));
      return true;
    }
    const retake = { retake: key.step, reason: 'retake', most: this.#settings.retakes, otherwise: FAILED } as const;
    await ledger.finishJob(key, { credits: charge, failure: JOB_FAILED }, retake);
    return true;
  }

  /** The answer of a request in doubt comes late. */
  async answerLate(pick: number): Promise<boolean> {
    const request = pickOf(
      this.#requests.filter(({ state, isSent }) => state === 'lost' && isSent),
      pick,
    );
    if (request === undefined) return false;
    await this.#accept(request);
    return true;
  }

  /** A lane dies, with what it has on the wire; another process takes it. */
  async kill(which: number): Promise<void> {
    const lane = pickOf(this.#lanes, which);
    if (lane === undefined) return;
    for (const request of this.#requests) if (request.sender === lane) request.sender = undefined;
    this.#lanes[this.#lanes.indexOf(lane)] = await this.#acquire(lane.lane);
  }

  /** Works on all that is left, without further harm. */
  async drain(treatment: Treatment): Promise<void> {
    for (;;) {
      let isMoving = false;
      for (const [index, lane] of this.#lanes.entries())
        for (let pick = 0; pick <= lane.rows.size; pick++)
          isMoving = (await this.work(index, pick, treatment)) || isMoving;
      while (await this.answer(0)) isMoving = true;
      // One at a time: what it tells counts for those that still run.
      isMoving = (await this.endJob(0)) || isMoving;
      if (!isMoving) return;
    }
  }

  async #acquire(lane: number): Promise<Lane> {
    const owner = `w${String(lane)}.${String(++this.#lives)}`;
    return { ...(await ledger.acquireLane({ batch: this.#name, lane, run: 'run', owner })), rows: new Map() };
  }

  async #submit(
    lane: Lane,
    { row: { spec } }: RowSnapshot,
    key: AttemptKey & Pick<RowAttempt, 'fence'>,
    treatment: Treatment,
  ): Promise<boolean> {
    const { fence } = key;
    const quotes = quoteFrom(spec.kind, key.step, spec, this.#settings);
    const terms = { ...quotes, owner: `w${String(lane.lane)}`, maxSending: 8 };
    const { type } = await ledger.intend(key, fence === undefined ? terms : { ...terms, fence });
    if (type === 'short') {
      // It says so only if something will end that tells, or frees, what is lacking: a request, or a begun row.
      const awaited = this.#open().filter(({ state }) => state !== 'lost').length;
      expect(awaited + (await ledger.money(this.#name)).reserved).toBeGreaterThan(0);
      return false;
    }
    if (type !== 'go') return true;
    const quoted = quotes.quoted ?? 0;
    this.#requests.push({
      key,
      operation: operationOf(spec, key.step, this.#settings.tts),
      quoted,
      charge: Math.max(this.#least, (this.#steady ?? treatment.factor) * quoted),
      treatment,
      last: key.step === resultStepOf({ kind: spec.kind }),
      sender: lane,
      isSent: false,
      state: 'on-the-wire',
    });
    this.#excess = this.#open().reduce((sum, one) => sum + Math.max(0, one.charge - this.#countedFor(one)), 0);
    return true;
  }

  /** Whether the request of a dead process left a trace, nobody knows before looking. */
  async #reconcile(key: AttemptKey, { answer }: Treatment): Promise<boolean> {
    const request = this.#requests.find((one) => one.state === 'on-the-wire' && isSame(one.key, key));
    if (request === undefined) throw new Error('a request in doubt was allowed before');
    if (request.sender !== undefined) return false;
    if (request.isSent && answer === 'accepts') {
      await this.#accept(request);
      return true;
    }
    request.state = 'lost';
    await ledger.settle(key, { verdict: 'unknown', failure: LOST }, UNKNOWN);
    return true;
  }

  async #accept(request: Request): Promise<void> {
    const { key, charge, treatment, operation, last } = request;
    if (operation === 'speech-sync') {
      request.state = 'over';
      this.#hear(request, charge);
      await ledger.settle(key, { verdict: 'done', credits: charge, file: FILE }, effectOf(last));
      return;
    }
    request.state = 'running';
    const announced = treatment.announced === null ? undefined : charge * treatment.announced;
    if (announced !== undefined) this.#hear(request, announced);
    const told = announced === undefined ? {} : { credits: announced };
    const jobId = [key.batch, key.row, key.step, key.take, key.attempt].join('/');
    await ledger.settle(key, { verdict: 'accepted', jobId, ...told }, { state: 'processing' });
  }

  async #join(lane: Lane, { row: { row, state, fence } }: RowSnapshot): Promise<boolean> {
    lane.rows.delete(row);
    if (state === 'fetching') await ledger.endSplitRow({ batch: this.#name, row, fence }, { file: FILE });
    return true;
  }

  #quotes(spec: RowSpec): readonly number[] {
    return stepsIn(spec).map((step) => quoteFrom(spec.kind, step, spec, this.#settings).quoted ?? 0);
  }

  /** Requests that may be charged, or charged otherwise. */
  #open(): readonly Request[] {
    return this.#requests.filter(({ state }) => state !== 'over');
  }

  #hear({ operation, quoted }: Request, credits: number): void {
    this.#heard.push({ operation, quoted, credits });
  }

  /** What was known to be possible: the ratio of what was told, up to the size of its quote; the dearest, of what is quoted at nothing. */
  #countedFor({ operation, quoted }: Request): number {
    const heard = this.#heard.filter((one) => one.operation === operation && (quoted === 0) === (one.quoted === 0));
    if (quoted === 0) return Math.max(0, ...heard.map(({ credits }) => credits));
    const beyond = heard.map(
      (one) => (one.credits / one.quoted - 1) * Math.min(quoted, 4 ** Math.ceil(Math.log2(one.quoted) / 2)),
    );
    return quoted + Math.max(0, ...beyond);
  }
}

/** A batch of the property. */
export interface Wanted {
  readonly rows: RowsOfBatch;
  readonly budget: number;
  readonly retakes: number;
  /** What all requests are charged ÷ their quotes; null: each as it is treated. */
  readonly steady: number | null;
  /** No request is charged less than this, in credits. */
  readonly least: number;
  /** The prices are estimates, not stated by the user. */
  readonly isEstimate: boolean;
}

interface BatchName {
  readonly name: string;
  readonly account: string;
}

/** What a result does to its row. */
function effectOf(isLast: boolean): RowEffect {
  return isLast ? { outcome: 'succeeded', file: FILE } : WAITING;
}

function pickOf<T>(of: readonly T[], pick: number): T | undefined {
  return of.length === 0 ? undefined : of[pick % of.length];
}

function isSame(one: AttemptKey, other: AttemptKey): boolean {
  return one.row === other.row && one.step === other.step && one.take === other.take && one.attempt === other.attempt;
}
