import { messageOf } from '../../contract/message-of.ts';
import { handOut, type HandedOut, type HandOutRequest } from '../../client/single/single-view.ts';
import type { SingleRecord } from '../../client/single/find-single.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { existsError, extensionOf, pathOf, type Target } from './target.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Output } from '../terminal/output.ts';

/** A result that was handed out. */
export interface Given {
  readonly exit: ExitName;
  /** The resulting file as a user would type it; null if it went to stdout. */
  readonly file: string | null;
}

/** Delivers a result. */
export interface Giving {
  /** Checks, before anything is paid for, that the result can be handed out. Throws {@link ExitError}. */
  readonly ready: () => Promise<void>;
  /** Hands out the result of a job that has one. */
  readonly give: (record: SingleRecord, place: GivingPlace) => Promise<Given>;
}

/** The context for delivering a result. */
export interface GivingPlace {
  readonly store: HandOutRequest['store'];
  readonly output: Output;
  /** The job had already ended, and nothing was sent now. */
  readonly isOld: boolean;
  /** Print no line of data: one of JSON follows. */
  readonly json: boolean;
}

/** Hands out the file of a job: to its place, whose path goes to stdout, or to stdout itself. */
export async function giveMedia(
  record: SingleRecord,
  target: Target,
  { force }: { readonly force: boolean },
  place: GivingPlace,
): Promise<Given> {
  const { row } = record;
  if (row.file === null) throw new Error(`Batch "${record.batch.name}" has a result without a file.`);
  return giveFile(record, row.file, { target, force }, place);
}

/** Delivers any file of a job. */
export async function giveFile(
  record: SingleRecord,
  file: HandOutRequest['file'],
  { target, force }: { readonly target: Target; readonly force: boolean },
  { store, output, json }: GivingPlace,
): Promise<Given> {
  const path = target.type === 'stdout' ? null : pathOf(target, nameOf(record), file.extension);
  const unwritten = (error: unknown): never => {
    throw new ExitError('usage', `${path ?? 'stdout'} cannot be written: ${messageOf(error)}. ${KEPT}`, {
      cause: error,
    });
  };
  const to = path === null ? null : { path, replace: force };
  const handed = handOut({ record, file, store, to });
  const became = await (path === null ? handed : handed.catch(unwritten));
  if (became.type === 'damaged') throw damagedError(record, became);
  if (became.type === 'stream') await output.bytes?.(became.body).catch(unwritten);
  if (path === null) return { exit: 'complete', file: null };
  if (became.type === 'exists') throw existsError(path);
  const meant = extensionOf(target);
  if (meant !== '' && meant !== file.extension)
    output.say(`warning: ${path} holds ${file.extension}, whatever its name says.`);
  if (!json) output.data(path);
  return { exit: 'complete', file: path };
}

const KEPT = 'The result is kept: the same command again, or with another -o, hands it out, and nothing is sent again.';

/** Further takes do not overwrite earlier ones. */
function nameOf({ batch, row }: SingleRecord): string {
  return row.take === 1 ? batch.name : `${batch.name}-take${row.take}`;
}

/** The store no longer has what was paid for. */
function damagedError(
  { batch }: SingleRecord,
  { is, isRemoved, isFree }: Extract<HandedOut, { readonly type: 'damaged' }>,
): ExitError {
  const why = isRemoved
    ? 'Its file was removed from the store (voxbatch clean or cache prune).'
    : `Its file is ${is} in the store. If VOXBATCH_STORE was different when it was made, set it back, then run the same command again.`;
  const redrive = `voxbatch redrive ${shellWord(batch.name)} --damaged`;
  const again = isFree
    ? `get it again, free: ${redrive}, then the same command again.`
    : // A text may be known without the API.
      `see what brings it back, and at which price: ${redrive} --dry-run.`;
  const back = isRemoved ? '' : ` If it is lost, ${again}`;
  return new ExitError(
    isRemoved ? 'usage' : 'mismatch',
    `Job ${shellWord(batch.name)} is finished. ${why} Nothing was spent.${back} To pay for a new take: the same command with --again.`,
  );
}

/** Forms of a transcript, by extension. */
const FORMS = ['txt', 'srt', 'vtt'];

/** Checks the form that `-o` asks for. Throws {@link ExitError} `usage`. */
export function checkForm(target: Target): void {
  if (target.type !== 'file' || FORMS.includes(extensionOf(target))) return;
  throw usageError(`-o ${target.path}: expected a name that ends in ${FORMS.map((form) => `.${form}`).join(', ')}.`);
}

/** Hands out a transcript: its text to stdout, or one of its files, whose path then goes to stdout. */
export async function giveText(
  record: SingleRecord,
  target: Target,
  { force }: { readonly force: boolean },
  place: GivingPlace,
): Promise<Given> {
  const { batch, row } = record;
  // A text that was removed from the record may still be in the store.
  if (target.type === 'stdout' && (row.text !== null || row.file === null)) {
    if (!place.json) place.output.data(row.text ?? '');
    return { exit: 'complete', file: null };
  }
  const form = extensionOf(target) || 'txt';
  const files = row.file === null ? row.extraFiles : [row.file, ...row.extraFiles];
  const file = files.find(({ extension }) => extension === form);
  if (file === undefined) {
    throw new ExitError(
      'unfit',
      `The transcript has no times, so there is no .${form} of it. It is kept as text: the same command without -o prints it. ` +
        `Record: voxbatch explain ${batch.name}`,
    );
  }
  return giveFile(record, file, { target, force }, place);
}
