import { messageOf } from '../../client/problem.ts';
import { handOut, type HandedOut, type HandOutRequest } from '../../client/single/single-view.ts';
import type { SingleRecord } from '../../client/single/find-single.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { ExitError } from '../exit-error.ts';
import type { Given, GivingPlace } from './giving.ts';
import { existsError, extensionOf, pathOf, type Target } from './target.ts';

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

/** The same for any file of a job. */
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
