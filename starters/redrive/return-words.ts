import type { ReturnRefusal } from '../../policy/redrive/earlier-take.ts';
import { partId } from '../../contract/row-parts.ts';
import { oneLine } from '../terminal/table.ts';

/** Why a row does not go back to an earlier take, and what is left. `id`: of the row. */
export function returnWords(id: string, refusal: ReturnRefusal): string {
  const take = `take ${String(refusal.take)}`;
  switch (refusal.why) {
    case 'no-file':
      return `${take} made no result; ${refusal.takes.length === 0 ? 'no take did' : `these did: ${refusal.takes.join(', ')}`}`;
    case 'other-request':
      return (
        `it was edited for take ${String(refusal.editedBy)}, so the result of ${take} is of other cells. ` +
        'Its file is kept in the store, where explain names it. To speak those cells again, at their price, edit them back and redrive the file (--from)'
      );
    case 'lost-file':
      return `a stored file of ${take} is ${refusal.is}, and the row keeps what it has. ${jobWords(refusal.jobId)}`;
    case 'whole':
      return `it is spoken in parts, which have takes of their own: name a part, such as ${partId(oneLine(id), 1)}/${String(refusal.take)}`;
  }
}

function jobWords(jobId: string | null): string {
  return jobId === null
    ? 'No job made it that could be read again: restore the file from a backup of the store, then run the same command again'
    : `Job ${oneLine(jobId)} made it, was paid for, and may still be in your account; or restore the file from a backup of the store, then run the same command again`;
}
