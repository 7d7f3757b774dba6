import { shellWord } from '../../contract/shell-word.ts';
import {
  planSettlement,
  type RequestFault,
  type SettlementPlan,
  type SettlementRequest,
} from '../../batches/reconcile/settlement-request.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { unchangedError } from '../exit-error.ts';
import { rowWord } from '../terminal/row-words.ts';

/** Parts that are named when a row is not clear enough. */
const NAMED = 20;

/** The flags of `reconcile` that name rows. */
export interface WishFlags {
  readonly adopt?: readonly string[];
  readonly resubmit?: readonly string[];
  readonly release?: readonly string[];
  readonly notCharged?: readonly string[];
}

/**
 * Reads what the flags want settled. Throws {@link ExitError} `usage` for a row that does not exist, or is not unknown.
 */
export async function requireOrder(ledger: Ledger, batch: BatchRecord, flags: WishFlags): Promise<SettlementPlan> {
  const found = await planSettlement(ledger, batch, {
    adopt: readAdoptions(flags.adopt ?? []),
    resubmit: wordsOf(flags.resubmit),
    release: wordsOf(flags.release),
    notCharged: wordsOf(flags.notCharged),
  });
  if (found.type !== 'found') throw unchangedError(faultWords(found, batch));
  return found;
}

/** Parses `ROW=JOB` or `ROW/TAKE=JOB`: the row is an id or a number. Ids may have an equals sign, job ids have none. */
function readAdoptions(texts: readonly string[]): NonNullable<SettlementRequest['adopt']> {
  return texts.map((text) => {
    const at = text.lastIndexOf('=');
    const [row, job] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
    if (row === '' || job === '') throw unchangedError(`--adopt ${text}: expected ROW=JOB, as in --adopt r7=job-1f3a.`);
    return { row, job };
  });
}

/** Splits at commas. */
function wordsOf(texts: readonly string[] = []): readonly string[] {
  return texts.flatMap((text) => text.split(',').map((word) => word.trim())).filter((word) => word !== '');
}

function faultWords(fault: RequestFault, batch: BatchRecord): string {
  const { word } = fault;
  switch (fault.type) {
    case 'no-row':
      return `Batch "${batch.name}" has no row "${word}". Expected an id, or a number from 1 to ${String(batch.rows)}.`;
    case 'no-take': {
      const { take, takes } = fault;
      return `Row "${word}" has had ${String(takes)} ${takes === 1 ? 'take' : 'takes'}, not ${String(take)}.`;
    }
    case 'several-parts': {
      const names = fault.parts.slice(0, NAMED).map((part) => shellWord(rowWord(part)));
      const more = fault.parts.length > names.length ? ` and ${String(fault.parts.length - names.length)} more` : '';
      return `Row "${word}" is spoken in parts, and more than one of them may be meant: ${names.join(', ')}${more}. Name the part, as in ${names[0] ?? ''}.`;
    }
    case 'not-unknown':
      return `--resubmit ${word}: the row is not unknown. To run other rows again: voxbatch redrive ${shellWord(batch.name)} --rows ${shellWord(word)}.`;
    case 'adopted-twice':
      return fault.what === 'row'
        ? `--adopt names row ${word} twice; a row has one job.`
        : `--adopt names job ${word} twice; a job belongs to one row.`;
  }
}
