import { OUTCOMES, outcomeFile, RESULTS_XLSX } from '../contract/outcomes.ts';
import { FINISHED, JOINED } from './sound/sound-lists.ts';

/** The names of the files in an out folder, except the media and the report. */

/** Name of the summary in the out folder; it is written last. */
export const SUMMARY_FILE = 'summary.json';

/** Name of the file that states an out folder's owner until the first summary does. */
export const CLAIM_FILE = '.voxbatch-batch.json';

/**
 * Name of the file that lists contents that may be replaced although the summary does not list them: see
 * `redrive/edited-tables.ts`.
 */
export const REPLACEABLE_FILE = '.voxbatch-replaceable.json';

/** A line for each row, in manifest order; cells that a spreadsheet would run are made harmless. */
export const RESULTS_CSV = 'results.csv';
/** The same lines as JSON, with the cells as they are. */
export const RESULTS_JSONL = 'results.jsonl';
/** A line for each paid request; see `receipt.ts`. */
export const RECEIPTS_JSONL = 'receipts.jsonl';

/** All tables that a projection (a run of `writeOutFolder`) may write; not the summary. */
export const PROJECTED_FILES: readonly string[] = [
  RESULTS_CSV,
  RESULTS_JSONL,
  RECEIPTS_JSONL,
  RESULTS_XLSX,
  ...OUTCOMES.flatMap((outcome) => outcomeFile(outcome) ?? []),
  JOINED.csv,
  FINISHED.csv,
];

/** All files that a projection replaces or removes, except the report. */
export const ALL_FILES: readonly string[] = [...PROJECTED_FILES, SUMMARY_FILE, CLAIM_FILE, REPLACEABLE_FILE];

/** Files that `run` and `redrive --from` accept, so people edit them. */
export const EDITED_FILES = PROJECTED_FILES.filter(
  (name) => ![RECEIPTS_JSONL, JOINED.csv, FINISHED.csv].includes(name),
);
