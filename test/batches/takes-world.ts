import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { chosenRows, type RedriveSelection, rulesOf } from '../../batches/redrive/selection.ts';
import { withLostFiles } from '../../batches/redrive/lost-files.ts';
import { draftRedrive, openRows } from '../../batches/redrive/redrive.ts';
import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import { findUnresolved, releaseTake, settleNotCharged } from '../../batches/reconcile/decisions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import type { Step } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { afterResult } from '../../policy/rows/after-result.ts';
import { isFetchedAgain, nextMove, presentTake, rowView } from '../../policy/rows/row-machine.ts';
import { GONE, JOB_FAILED, LOST, UNKNOWN } from '../ledger/actions.ts';
import { aBatch, aDub, aRow, INTENT, makeFolder, open } from '../ledger/setup.ts';
import { lazyFileReader } from '../../store/open-store.ts';
import { ANN } from '../support/ann.ts';

/** How a request goes, or the job of one. */
export type Luck = 'well' | 'fails' | 'answer-lost' | 'dies';

interface Home {
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

/** A batch of a row of speech (1) and one of dubbed speech (2), its ledger, its stored files, and what the API has accepted. */
export class TakesWorld {
  readonly #home: Home;
  #ledger: Ledger;
  /** Requests that the API has accepted, whether or not their answer came. */
  readonly accepted: AttemptKey[] = [];
  /** Stored files that were removed. */
  readonly lost = new Set<string>();
  /** By row: how many takes a person has paid for. */
  readonly paid = new Map([
    [1, 1],
    [2, 1],
  ]);
  /** The take whose speech the lip-sync of each take of row 2 is to use. */
  readonly #speech = new Map([[1, 1]]);

  private constructor(home: Home, ledger: Ledger) {
    this.#home = home;
    this.#ledger = ledger;
  }

  static async create(): Promise<TakesWorld> {
    const home = await makeFolder();
    const ledger = await open(home.folder);
    await mkdir(join(home.folder, 'store', 'b'), { recursive: true });
    const loading = await ledger.createBatch(aBatch());
    await ledger.addRows(loading, [aRow(1), aDub(2)]);
    await ledger.openBatch(loading, 2);
    return new TakesWorld(home, ledger);
  }

  async end(): Promise<void> {
    await this.#ledger.close();
    await this.#home.remove();
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  /** The process is killed, and another begins. */
  async reopen(): Promise<void> {
    await this.#ledger.close();
    this.#ledger = await open(this.#home.folder);
  }

  async standing(row: number): Promise<RowSnapshot> {
    const found = await this.#ledger.readRow('b', row);
    if (found === undefined) throw new Error(`There is no row ${row}.`);
    return found;
  }

  /** Works on a row as a lane does, for so many moves at most. */
  async work(row: number, luck: readonly Luck[]): Promise<void> {
    for (const lucky of luck) {
      const found = await this.standing(row);
      const move = nextMove({ ...rowView(found.row), ended: found.row.outcome !== null }, found.charges);
      if (move.type === 'ended') return;
      const key = { batch: 'b', ...move.at };
      if (move.type === 'submit') await this.#send(key, lucky);
      else if (move.type === 'wait') await this.#look(found, key, lucky);
      else await this.#ledger.settle(key, { verdict: 'unknown', failure: LOST }, UNKNOWN);
    }
  }

  /** `voxbatch redrive`, with all consent but `--resubmit`. Returns what it has done; undefined: nothing, because it was refused. */
  async redrive(row: number, wish: Omit<RedriveSelection, 'rows'>, take?: number): Promise<RedriveDraft | undefined> {
    const record = await this.#ledger.findBatch('b');
    if (record === undefined) throw new Error('There is no batch.');
    const before = await this.standing(row);
    const rules = rulesOf({ ...wish, rows: [String(row)] });
    const named = chosenRows(this.#ledger, 'b', { rows: [row] }, new Map(take === undefined ? [] : [[row, take]]));
    const store = { files: lazyFileReader(join(this.#home.folder, 'store')), requireOwn: () => Promise.resolve() };
    const rows = withLostFiles(named, { ledger: this.#ledger, batch: 'b', store }, rules);
    const draft = await draftRedrive(this.#ledger, record, rows, rules);
    if (draft.refusal !== undefined || draft.count === 0) return undefined;
    expect(await openRows(this.#ledger, 'b', draft, rows, ANN)).toEqual({ type: 'opened', opened: 1, movedOn: 0 });
    const [from] = draft.pays.keys();
    if (from !== undefined) this.#notePayment(row, from, before);
    return draft;
  }

  /** A person names the job of a request in doubt. */
  async adopt(row: number, take: number): Promise<void> {
    const attempt = await findUnresolved(this.#ledger, 'b', row, take);
    if (attempt?.state === 'unknown')
      await this.#ledger.decide(attempt, { type: 'adopted', jobId: `${attempt.step}-${row}-${take}` }, ANN);
  }

  /** Returns whether the job was taken back. */
  async release(row: number, take: number): Promise<boolean> {
    return (await releaseTake(this.#ledger, 'b', { row, take }, ANN)).type === 'released';
  }

  async notCharged(row: number, take: number): Promise<void> {
    await settleNotCharged(this.#ledger, 'b', { row, take }, ANN);
  }

  /** The stored result of a take is removed by somebody else. */
  async lose(row: number, take: number): Promise<void> {
    const step = row === 1 ? 'speech' : 'lip-sync';
    const made = (await this.standing(row)).charges.find((one) => one.take === take && one.step === step);
    if (made?.file == null) return;
    await rm(this.#pathOf(made.file), { force: true });
    this.lost.add(made.file.key);
  }

  async #send(key: AttemptKey, luck: Luck): Promise<void> {
    const answer = await this.#ledger.intend(key, INTENT);
    if (answer.type !== 'go') return;
    this.accepted.push(key);
    if (key.step === 'lip-sync') {
      const { charges } = await this.standing(key.row);
      expect(charges.find((one) => one.step === 'lip-sync' && one.take === key.take)?.fromTake).toBe(
        this.#speech.get(key.take),
      );
    }
    if (luck === 'dies') return;
    if (luck === 'answer-lost') {
      await this.#ledger.settle(key, { verdict: 'unknown', failure: LOST }, UNKNOWN);
      return;
    }
    const jobId = `${key.step}-${key.row}-${key.take}`;
    await this.#ledger.settle(key, { verdict: 'accepted', jobId }, { state: 'processing' });
  }

  async #look({ row, charges }: RowSnapshot, key: AttemptKey, luck: Luck): Promise<void> {
    if (luck === 'dies') return;
    const charge = charges.find((one) => one.step === key.step && one.take === key.take && one.attempt === key.attempt);
    if (luck !== 'well') {
      const isGone = charge !== undefined && isFetchedAgain(charge) && charge.file !== null;
      const failure = isGone ? GONE : JOB_FAILED;
      await this.#ledger.finishJob(key, { failure }, { outcome: 'failed', failure });
      return;
    }
    const file = await this.#store(key);
    const { effect } = afterResult(row.spec, key.step, file, { retakes: 0, control: 'running' });
    await this.#ledger.finishJob(key, { file, credits: 4 }, effect);
  }

  async #store({ row, step, take }: AttemptKey): Promise<ResultFile> {
    const content = `${step} of row ${row}, take ${take}`;
    const sha256 = createHash('sha256').update(content).digest('hex');
    const file = { key: `b/${row}-${step}-${take}.mp3`, bytes: content.length, sha256, extension: 'mp3' };
    await writeFile(this.#pathOf(file), content);
    this.lost.delete(file.key);
    return file;
  }

  #pathOf({ key }: ResultFile): string {
    return join(this.#home.folder, 'store', key);
  }

  #notePayment(row: number, from: Step, before: RowSnapshot): void {
    const take = before.row.take + 1;
    this.paid.set(row, (this.paid.get(row) ?? 0) + 1);
    if (row === 2) this.#speech.set(take, from === 'speech' ? take : (this.#speech.get(presentTake(before.row)) ?? 0));
  }
}
