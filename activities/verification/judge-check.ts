import type { AttemptKey } from '../../contract/batch.ts';
import type { Transcript } from '../../api/speech-api.ts';
import { DEFAULT_THRESHOLD, type Judgement } from '../../contract/verify.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { afterCheck, checkedResult } from '../../policy/verification/after-check.ts';
import type { AfterResult } from '../../policy/rows/after-result.ts';
import { judgeSpeech } from '../../policy/verification/judge-speech.ts';
import type { Dependencies } from '../dependencies.ts';

/** A verification's judgement and its effect on the attempt and the row. */
export interface CheckOutcome extends AfterResult<ResultFile> {
  readonly judgement: Judgement;
}

/** The transcript, and whether it was free. */
export type HeardSpeech = Pick<Transcript, 'text' | 'language'> & { readonly isFree?: boolean };

/**
 * Compares a transcript with the row's text. Undefined if this step is no check, so that its transcript is an ordinary
 * result.
 */
export function judgeCheck(
  { row, charges }: RowSnapshot,
  { settings, control }: Pick<BatchRecord, 'settings' | 'control'>,
  { step }: Pick<AttemptKey, 'step'>,
  heard: HeardSpeech,
): CheckOutcome | undefined {
  const { spec, acceptedTake } = row;
  const checkedRow = { ...spec, acceptedTake };
  const checked = checkedResult<ResultFile, RowSnapshot['charges'][number]>(checkedRow, step, charges);
  if (checked === undefined) return undefined;
  const { text = '', language, verify: threshold = DEFAULT_THRESHOLD } = spec;
  const judgement = judgeSpeech({ text, language, threshold }, heard);
  const isFree = heard.isFree === true && checked.state === 'cached';
  const { retakes } = settings;
  return { judgement, ...afterCheck(spec, judgement, { step, file: checked.file, isFree, retakes, control }) };
}

/** Reads the text of a stored transcript. */
export async function readTranscriptFile({ store }: Pick<Dependencies, 'store'>, file: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await store.read(file)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').replace(/\n$/, '');
}
