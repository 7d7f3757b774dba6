import { messageOf } from '../../contract/message-of.ts';
import { copyResult, type CopiedResult, type CopyResultRequest } from '../../client/single/single-view.ts';
import type { SingleRecord } from '../../client/single/find-single.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { existsError, extensionOf, pathOf, type Target } from './target.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Output } from '../terminal/output.ts';

/** A result that was delivered. */
export interface Delivered {
  readonly exit: ExitName;
  /** The resulting file as a user would type it; null if it went to stdout. */
  readonly file: string | null;
}

/** How a single job's command delivers its result. */
export interface Delivery {
  /** Checks that the result can be delivered, before anything is paid for. Throws {@link ExitError}. */
  readonly prepare: () => Promise<void>;
  /** Delivers the result of a job that has one. Throws {@link ExitError} if it is lost or cannot be written. */
  readonly deliver: (record: SingleRecord, context: DeliveryContext) => Promise<Delivered>;
}

/** What a delivery needs besides the record. */
export interface DeliveryContext {
  readonly store: CopyResultRequest['store'];
  readonly output: Output;
  /** The job had ended before, and nothing was sent now. */
  readonly isOld: boolean;
  /** Print no data, because a line of JSON follows. */
  readonly json: boolean;
}

/** Delivers a job's media file: writes it to `target` and prints the path, or writes it to stdout. */
export async function deliverMedia(
  record: SingleRecord,
  target: Target,
  { force }: { readonly force: boolean },
  context: DeliveryContext,
): Promise<Delivered> {
  const { row } = record;
  if (row.file === null) throw new Error(`Batch "${record.batch.name}" has a result without a file.`);
  return deliverFile(record, row.file, { target, force }, context);
}

/** Delivers any file of a job. `force`: overwrite an existing one. */
export async function deliverFile(
  record: SingleRecord,
  file: CopyResultRequest['file'],
  { target, force }: { readonly target: Target; readonly force: boolean },
  { store, output, json }: DeliveryContext,
): Promise<Delivered> {
  const path = target.type === 'stdout' ? null : pathOf(target, nameOf(record), file.extension);
  const rethrow = (error: unknown): never => {
    throw new ExitError('usage', `${path ?? 'stdout'} cannot be written: ${messageOf(error)}. ${KEPT}`, {
      cause: error,
    });
  };
  const to = path === null ? null : { path, replace: force };
  const handing = copyResult({ record, file, store, to });
  const handedOut = await (path === null ? handing : handing.catch(rethrow));
  if (handedOut.type === 'damaged') throw damagedError(record, handedOut);
  if (handedOut.type === 'stream') await output.bytes?.(handedOut.body).catch(rethrow);
  if (path === null) return { exit: 'complete', file: null };
  if (handedOut.type === 'exists') throw existsError(path);
  const requested = extensionOf(target);
  if (requested !== '' && requested !== file.extension)
    output.say(`warning: ${path} holds ${file.extension}, whatever its name says.`);
  if (!json) output.data(path);
  return { exit: 'complete', file: path };
}

const KEPT = 'The result is kept: the same command again, or with another -o, hands it out, and nothing is sent again.';

/** Returns the file name without extension; further takes have their own, so they overwrite nothing. */
function nameOf({ batch, row }: SingleRecord): string {
  return row.take === 1 ? batch.name : `${batch.name}-take${row.take}`;
}

/** Returns the error for a result that was paid for and is no longer in the store. */
function damagedError(
  { batch }: SingleRecord,
  { is, isRemoved, isFree }: Extract<CopiedResult, { readonly type: 'damaged' }>,
): ExitError {
  const cause = isRemoved
    ? 'Its file was removed from the store (voxbatch clean or cache prune).'
    : `Its file is ${is} in the store. If VOXBATCH_STORE was different when it was made, set it back, then run the same command again.`;
  const redrive = `voxbatch redrive ${shellWord(batch.name)} --damaged`;
  const again = isFree
    ? `get it again, free: ${redrive}, then the same command again.`
    : // A lost text may be rebuilt from the ledger.
      `see what brings it back, and at which price: ${redrive} --dry-run.`;
  const back = isRemoved ? '' : ` If it is lost, ${again}`;
  return new ExitError(
    isRemoved ? 'usage' : 'mismatch',
    `Job ${shellWord(batch.name)} is finished. ${cause} Nothing was spent.${back} To pay for a new take: the same command with --again.`,
  );
}

/** Formats of a transcript, by extension. */
const TRANSCRIPT_FORMATS = ['txt', 'srt', 'vtt'];

/** Checks that `-o` names a transcript format. Throws {@link ExitError} `usage`. */
export function checkTranscriptFormat(target: Target): void {
  if (target.type !== 'file' || TRANSCRIPT_FORMATS.includes(extensionOf(target))) return;
  throw usageError(
    `-o ${target.path}: expected a name that ends in ${TRANSCRIPT_FORMATS.map((format) => `.${format}`).join(', ')}.`,
  );
}

/** Delivers a transcript: prints its text, or writes one of its files and prints the path. */
export async function deliverText(
  record: SingleRecord,
  target: Target,
  { force }: { readonly force: boolean },
  context: DeliveryContext,
): Promise<Delivered> {
  const { batch, row } = record;
  // `voxbatch clean --rows` removes the text from the ledger, but its file may still be in the store.
  if (target.type === 'stdout' && (row.text !== null || row.file === null)) {
    if (!context.json) context.output.data(row.text ?? '');
    return { exit: 'complete', file: null };
  }
  const format = extensionOf(target) || 'txt';
  const files = row.file === null ? row.extraFiles : [row.file, ...row.extraFiles];
  const file = files.find(({ extension }) => extension === format);
  if (file === undefined) {
    throw new ExitError(
      'unfit',
      `The transcript has no times, so there is no .${format} of it. It is kept as text: the same command without -o prints it. ` +
        `Record: voxbatch explain ${batch.name}`,
    );
  }
  return deliverFile(record, file, { target, force }, context);
}
