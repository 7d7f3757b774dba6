import { shellWord } from '../../contract/shell-word.ts';
import { isBroughtBackFree } from '../../batches/redrive/find-loss.ts';
import type { SingleRecord } from '../../client/single/find-single.ts';
import { messageOf } from '../../client/problem.ts';
import type { ResultFile } from '../../ledger/record-types.ts';
import { copyOut, isIntact, type CopiedOut } from '../../results/copy-out.ts';
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
  file: ResultFile,
  { target, force }: { readonly target: Target; readonly force: boolean },
  place: GivingPlace,
): Promise<Given> {
  const { store, output, json } = place;
  if (target.type === 'stdout') {
    const is = await isIntact(file, store);
    if (is !== 'intact') throw damagedError(record, file, is);
    await output.bytes?.(await store.read(file.key)).catch((error: unknown) => {
      throw new ExitError('usage', `stdout cannot be written: ${messageOf(error)}. ${KEPT}`, { cause: error });
    });
    return { exit: 'complete', file: null };
  }
  const path = pathOf(target, nameOf(record), file.extension);
  const became = await copyOut(file, store, path, { replace: force }).catch((error: unknown) => {
    throw new ExitError('usage', `${path} cannot be written: ${messageOf(error)}. ${KEPT}`, { cause: error });
  });
  refuse(became, record, file, path);
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

function refuse(became: CopiedOut, record: SingleRecord, file: ResultFile, path: string): void {
  switch (became) {
    case 'written':
    case 'kept':
      return;
    case 'other':
      throw existsError(path);
    default:
      throw damagedError(record, file, became);
  }
}

/** The store no longer has what was paid for. */
function damagedError(record: SingleRecord, file: ResultFile, is: 'missing' | 'altered'): ExitError {
  const { batch, row } = record;
  // Only the main file says that all of them were removed.
  const isRemoved = is === 'missing' && [file, row.file].some((one) => one?.removedAt !== undefined);
  const why = isRemoved
    ? 'Its file was removed from the store (voxbatch clean or cache prune).'
    : `Its file is ${is} in the store. If VOXBATCH_STORE was different when it was made, set it back, then run the same command again.`;
  const redrive = `voxbatch redrive ${shellWord(batch.name)} --damaged`;
  const again = isBroughtBackFree(record, is)
    ? `get it again, free: ${redrive}, then the same command again.`
    : // A text may be known without the API.
      `see what brings it back, and at which price: ${redrive} --dry-run.`;
  const back = isRemoved ? '' : ` If it is lost, ${again}`;
  return new ExitError(
    isRemoved ? 'usage' : 'mismatch',
    `Job ${shellWord(batch.name)} is finished. ${why} Nothing was spent.${back} To pay for a new take: the same command with --again.`,
  );
}
