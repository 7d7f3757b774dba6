import { join } from 'node:path';
import { shellWord } from '../../contract/shell-word.ts';
import type { OccurrenceView } from '../../client/schedules/occurrence-views.ts';
import { number } from '../terminal/words.ts';
import { oneLine } from '../terminal/table.ts';

/** What a firing came to, for whoever waited for it. `outFolder`: where the batches of its schedule get their folders, if that is known. */
export function endingWords(
  { batch, state, cause, reason, charged }: OccurrenceView,
  schedule: string,
  outFolder: string | undefined,
): string {
  switch (state) {
    case 'ended': {
      const files = outFolder === undefined ? '' : ` Its files are in ${oneLine(join(outFolder, batch))}/.`;
      return `Batch ${batch} has ended: ${number(charged ?? 0)} credits.${files} For its counts: voxbatch status ${shellWord(batch)}`;
    }
    case 'failed':
      return `The occurrence of batch ${batch} failed: ${reason ?? 'no reason is on record.'}`;
    case 'skipped': {
      const why = `${cause === undefined ? '' : ` (${cause})`}${reason === undefined ? '.' : `: ${reason}`}`;
      return `Schedule "${schedule}" fired, and this occurrence was skipped${why} No batch was made, and nothing was spent.`;
    }
    case 'waiting':
      return `Batch ${batch} is not made yet: ${reason ?? 'its occurrence waits.'} To see how it goes on: voxbatch schedule show ${shellWord(schedule)}`;
    case 'running':
      return `Batch ${batch} is paused. To see why: voxbatch status ${shellWord(batch)}`;
  }
}
