import { ROW_KINDS } from '../contract/row-kinds.ts';
import { watchFrom } from './alike.ts';
import { requireBatch } from './batches.ts';
import { updateCharge } from './charges.ts';
import { LedgerMisuse } from './errors.ts';
import type { Redriven, RedriveChoice } from './ledger.ts';
import type { ChargeRecord } from './record-types.ts';
import { inOrder, toCharge, toFailure, toFile, toRow } from './records.ts';
import { write, type Db, type RowLine, type Tx } from './schema.ts';
import { makeTake } from './takes.ts';

type Pay = Extract<RedriveChoice['how'], { do: 'pay' }>;

/**
 * Opens ended rows again because a person said so. See {@link Ledger.redrive}.
 *
 * It is the only way past a request that may have been taken. So it looks for itself: a choice that does not say
 * `resubmitted` is refused for such a row, whatever its caller believed.
 */
export async function redrive(db: Db, batch: string, choices: readonly RedriveChoice[]): Promise<Redriven> {
  return write(db, async (tx) => {
    const { state, control } = await requireBatch(tx, batch);
    if (state === 'loading' || (state === 'open' && control === 'stopping')) {
      throw new LedgerMisuse(
        `Batch "${batch}" is ${state === 'open' ? 'being stopped' : 'loading'}; no row was changed.`,
      );
    }
    const rows: number[] = [];
    const left: number[] = [];
    let opened = false;
    for (const choice of choices) {
      const line = await tx
        .selectFrom('rows')
        .selectAll()
        .where('batch', '=', batch)
        .where('row', '=', choice.row)
        .executeTakeFirst();
      if (line === undefined) throw new LedgerMisuse(`Batch "${batch}" has no row ${choice.row}.`);
      const isThere = line.outcome === choice.outcome && line.take === choice.take;
      if (isThere) opened = (await open(tx, line, choice.how)) || opened;
      (isThere ? rows : left).push(choice.row);
    }
    if (opened) await reopenBatch(tx, batch, state === 'closed');
    return { rows, left };
  });
}

/** Does as was chosen. True if the row is open again; false if it was settled at once. */
async function open(tx: Tx, line: RowLine, how: RedriveChoice['how']): Promise<boolean> {
  const charges = await chargesOf(tx, line);
  switch (how.do) {
    case 'wait':
      return waitAgain(tx, line, charges);
    case 'accept':
      return accept(tx, line, charges);
    case 'pay':
      await payAgain(tx, line, charges, how);
      return true;
  }
}

async function payAgain(tx: Tx, line: RowLine, charges: readonly ChargeRecord[], how: Pay): Promise<void> {
  const { steps } = ROW_KINDS[how.edited?.spec.kind ?? line.kind];
  const from = steps.indexOf(how.fromStep);
  if (from < 0) throw new LedgerMisuse(`Row ${line.row} of "${line.batch}" has no step ${how.fromStep}.`);
  for (const step of steps.slice(from)) {
    const last = charges.findLast((charge) => charge.step === step);
    const mayBeTaken = last?.state === 'unknown' || (last?.state === 'accepted' && last.finishedAt === null);
    if (last?.state === 'sending' || (mayBeTaken && how.reason !== 'resubmitted')) {
      throw new LedgerMisuse(
        `The last ${step} request of row ${line.row} of "${line.batch}" ${last.state === 'sending' ? 'is still on the wire' : 'may have been charged'}; ` +
          'it is paid for again only if you say so. No row was changed.',
      );
    }
  }
  await makeTake(tx, line, {
    reason: how.reason,
    fromStep: how.fromStep,
    before: {
      outcome: line.outcome,
      failure: toFailure(line.failure),
      file: toFile(line.file),
      extraFiles: toRow(line).extraFiles,
      ...(how.edited === undefined ? {} : { spec: toRow(line).spec, input: toRow(line).input }),
    },
    ...(how.edited === undefined ? {} : { edited: how.edited }),
  });
  await release(tx, line);
}

/** The job is paid for: it is waited for, or fetched, once more. */
async function waitAgain(tx: Tx, line: RowLine, charges: readonly ChargeRecord[]): Promise<boolean> {
  const { steps } = ROW_KINDS[line.kind];
  const charge = charges.findLast(({ take }) => take === line.take);
  if (charge?.state !== 'accepted' || charge.jobId === null) {
    throw new LedgerMisuse(`Row ${line.row} of "${line.batch}" has no job to wait for. No row was changed.`);
  }
  const now = Date.now();
  const isLast = steps.at(-1) === charge.step;
  const at = tx.updateTable('rows').where('batch', '=', line.batch).where('row', '=', line.row);
  if (charge.file !== null && isLast) {
    const file = JSON.stringify(charge.file);
    await at.set({ outcome: 'succeeded', failure: null, file, updated_at: now, ended_at: now }).execute();
    return false;
  }
  const state = charge.file === null ? 'processing' : 'waiting';
  await at.set({ state, outcome: null, failure: null, wait_since: now, updated_at: now, ended_at: null }).execute();
  await release(tx, line);
  if (charge.file !== null || charge.finishedAt === null) return true;
  // Its result could not be fetched; it is looked at again as if it had not ended.
  await updateCharge(tx, charge, { finished_at: null, failure: null });
  return true;
}

/** A result that did not pass a check is taken as it is. Its step came to a good end; those after it are still to be made. */
async function accept(tx: Tx, line: RowLine, charges: readonly ChargeRecord[]): Promise<boolean> {
  const charge = charges.findLast(({ take }) => take === line.take);
  if (line.outcome !== 'unfit' || charge?.file == null) {
    throw new LedgerMisuse(`Row ${line.row} of "${line.batch}" has no unfit result to accept. No row was changed.`);
  }
  await updateCharge(tx, charge, { failure: null });
  const now = Date.now();
  const at = tx.updateTable('rows').where('batch', '=', line.batch).where('row', '=', line.row);
  if (ROW_KINDS[line.kind].steps.at(-1) === charge.step) {
    const file = JSON.stringify(charge.file);
    await at.set({ outcome: 'succeeded', failure: null, file, updated_at: now, ended_at: now }).execute();
    return false;
  }
  const open = { state: 'waiting', outcome: null, failure: null, file: null, updated_at: now, ended_at: null } as const;
  await at.set(open).execute();
  await release(tx, line);
  return true;
}

/** Takes the row back from whoever may hold it still, for the next claim and for as many takes of its own as a new row has. */
async function release(tx: Tx, line: RowLine): Promise<void> {
  await tx
    .updateTable('rows')
    .set((eb) => ({ lane: null, hold: eb('hold', '+', 1), auto_takes: 0 }))
    .where('batch', '=', line.batch)
    .where('row', '=', line.row)
    .execute();
}

/** A closed batch runs again, whatever ended it; one that is open keeps what the user lets it do. */
async function reopenBatch(tx: Tx, batch: string, wasClosed: boolean): Promise<void> {
  if (!wasClosed) return;
  await tx
    .updateTable('batches')
    .set({
      state: 'open',
      control: 'running',
      pause_reason: null,
      halted: null,
      stop_now: 0,
      closed_at: null,
      reopened_at: Date.now(),
      watch: watchFrom(Date.now()),
    })
    .where('name', '=', batch)
    .execute();
}

async function chargesOf(tx: Tx, line: RowLine): Promise<readonly ChargeRecord[]> {
  const charges = await tx
    .selectFrom('charges')
    .selectAll()
    .where('batch', '=', line.batch)
    .where('row', '=', line.row)
    .execute();
  return charges.map(toCharge).sort(inOrder);
}
