import { shellWord } from '../../contract/shell-word.ts';
import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { goOnCommand } from '../terminal/command.ts';
import { number } from '../terminal/words.ts';
import { rowsInWords } from '../terminal/row-words.ts';

/** Why a file is refused that has edits of rows which have not ended: nobody wants to pay for what was just corrected. */
export function openEditsText({ openEdited }: Pick<RedriveDraft, 'openEdited'>, batch: string): string {
  const rows = openEdited === 1 ? '1 edited row' : `${number(openEdited)} edited rows`;
  const [have, go] =
    openEdited === 1
      ? ['has', 'it goes on, and is paid for, as it was']
      : ['have', 'they go on, and are paid for, as they were'];
  return (
    `${rows} of batch "${batch}" ${have} not ended: ${go} before the edit. Nothing was changed. Nothing was spent. ` +
    endFirst(batch)
  );
}

/** Why rows could not be opened, or not all: `why` is the ledger's sentence. */
export function notOpenedText(
  batch: BatchRecord,
  { opened, why }: { readonly opened: number; readonly why: string },
): string {
  return [
    `${why} Nothing was spent.`,
    ...(opened === 0 ? [] : [`${rowsInWords(opened)} were opened before that; continue with: ${goOnCommand(batch)}`]),
    ...(batch.control === 'stopping' && opened === 0 ? [endFirst(batch.name)] : []),
  ].join(' ');
}

/** How to end a batch whose rows have not all ended, and go on. */
function endFirst(batch: string): string {
  return `To end the batch first (what runs is fetched later, free): voxbatch stop ${shellWord(batch)} --now. Then run the same command again.`;
}
