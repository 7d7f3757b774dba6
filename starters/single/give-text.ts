import type { SingleRecord } from '../../client/single/find-single.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { giveFile } from './give-media.ts';
import type { Given, GivingPlace } from './giving.ts';
import { extensionOf, type Target } from './target.ts';

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
      'quality',
      `The transcript has no times, so there is no .${form} of it. It is kept as text: the same command without -o prints it. ` +
        `Record: voxbatch explain ${batch.name}`,
    );
  }
  return giveFile(record, file, { target, force }, place);
}
