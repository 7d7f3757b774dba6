import { join } from 'node:path';
import { RESULTS_XLSX, OUTCOMES, outcomeFile, type Outcome } from '../../contract/outcomes.ts';
import { sha256Of } from '../../inputs/regular-file.ts';
import { PROJECTED_FILES, RECEIPTS_JSONL, RESULTS_CSV, RESULTS_JSONL, SUMMARY_FILE } from '../out-files.ts';
import { verifySound } from '../sound/sound-lists.ts';
import { Findings } from './mismatch.ts';
import type { Mismatch } from './mismatch.ts';
import { firstIssue } from '../row-source.ts';
import { parseSummary } from '../summary.ts';
import type { Summary } from '../summary.ts';
import { Tally } from '../tally.ts';
import type { WrongMedia } from './verify-media.ts';
import { checkTables } from './verify-tables.ts';
import { readJson, lstatsOf } from '../files.ts';

/** The contents of an out folder, counted from its files alone. */
export interface VerifyReport {
  readonly folder: string;
  /** Name of the batch; undefined without a readable summary. */
  readonly batch: string | undefined;
  /** Lines of `results.jsonl`. */
  readonly rows: number;
  /** Rows per outcome, counted from `results.jsonl`. */
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Rows without an outcome; more than 0 if the batch was not over when the files were made. */
  readonly unfinished: number;
  /** Credits charged, summed from `receipts.jsonl`. */
  readonly charged: number;
  /** Media files whose bytes were read and compared with the receipts. */
  readonly media: number;
  /** Media files that are missing or wrong, by row; each is also a mismatch. */
  readonly wrongMedia: readonly WrongMedia[];
  /**
   * Outcome files whose sha256 differs from the summary's; somebody may have edited them, to run them again. Each is
   * also a mismatch.
   */
  readonly edited: readonly string[];
  /** Everything that does not add up; empty if all is well. Any entry means exit code 15. */
  readonly mismatches: readonly Mismatch[];
}

/**
 * Checks an out folder from its files alone: hashes, counts, sums, rows against receipts, media against their bytes.
 * Reads every file once, as a stream; changes nothing and asks neither ledger nor API. Throws only if the disk fails.
 *
 * If a forger rewrites the summary with its hashes, this still finds tables that disagree, a missing row number before
 * the last, or a wrong sum. The files alone cannot prove that no rows were cut off the end of all tables and sums.
 */
export async function verifyOut(folder: string): Promise<VerifyReport> {
  const findings = new Findings();
  const tally = new Tally();
  const summary = await readSummary(folder, findings);
  let media: Awaited<ReturnType<typeof checkTables>> = { read: 0, wrong: [] };
  let made = 0;
  const edited: string[] = [];
  if (summary !== undefined) {
    const present = await checkFiles(folder, summary, findings, edited);
    media = await checkTables({ folder, summary, present, tally, findings });
    made = await verifySound(folder, summary, findings);
    compareSummary(summary, tally, findings);
  }
  const ended = OUTCOMES.reduce((sum, outcome) => sum + tally.outcomes[outcome], 0);
  return {
    folder,
    batch: summary?.batch,
    rows: tally.rows,
    outcomes: tally.outcomes,
    unfinished: tally.rows - ended,
    charged: tally.credits.charged,
    media: media.read + made,
    wrongMedia: media.wrong,
    edited,
    mismatches: findings.list(),
  };
}

/** Reads the summary; undefined if it is missing or invalid, which is a finding. */
async function readSummary(folder: string, findings: Findings): Promise<Summary | undefined> {
  const path = join(folder, SUMMARY_FILE);
  if ((await lstatsOf(path)) === undefined) {
    findings.add(SUMMARY_FILE, 'the summary of a batch', 'no such file; voxbatch results makes it again');
    return undefined;
  }
  const summary = parseSummary(await readJson(path));
  if (!summary.success) findings.add(SUMMARY_FILE, 'the summary of a batch', firstIssue(summary.error));
  return summary.data;
}

/** Hashes every listed file. Returns the names of the readable ones, and adds changed outcome files to `edited`. */
async function checkFiles(
  folder: string,
  summary: Summary,
  findings: Findings,
  edited: string[],
): Promise<ReadonlySet<string>> {
  const present = new Set<string>();
  for (const name of [RESULTS_CSV, RESULTS_JSONL, RECEIPTS_JSONL]) {
    if (!(name in summary.files)) findings.add(SUMMARY_FILE, `a sha256 of ${name}`, 'none');
  }
  for (const name of Object.keys(summary.files)) {
    if (!PROJECTED_FILES.includes(name)) findings.add(SUMMARY_FILE, 'only files of ours', name);
  }
  for (const name of PROJECTED_FILES) {
    const path = join(folder, name);
    const sha256 = summary.files[name];
    const isThere = (await lstatsOf(path))?.isFile() === true;
    if (isThere) present.add(name);
    // A person may have saved a table under this name.
    if (sha256 === undefined && isThere && name !== RESULTS_XLSX)
      findings.add(name, 'no such file', 'one that the summary does not list');
    if (sha256 !== undefined && !isThere) findings.add(name, 'a file', 'no such file');
    if (sha256 !== undefined && isThere) {
      const found = await sha256Of(path);
      findings.compare(`${name}, sha256`, sha256, found);
      if (found !== sha256 && OUTCOMES.some((outcome) => outcomeFile(outcome) === name)) edited.push(name);
    }
  }
  return present;
}

/** Compares the counts and sums of the tables with the summary. */
function compareSummary(summary: Summary, tally: Tally, findings: Findings): void {
  const where = (what: string): string => `${SUMMARY_FILE}, ${what}`;
  findings.compare(where('rows'), tally.rows, summary.rows);
  for (const outcome of OUTCOMES) {
    findings.compare(where(`outcomes.${outcome}`), tally.outcomes[outcome], summary.outcomes[outcome]);
    const file = outcomeFile(outcome);
    if (file !== undefined && tally.outcomes[outcome] > 0 && !(file in summary.files)) {
      findings.add(file, `a file with ${tally.outcomes[outcome]} rows`, 'none in the summary');
    }
  }
  findings.compare(where('not_chosen'), tally.notChosen, summary.not_chosen);
  const unfinished = Object.values(summary.states).reduce((sum, rows) => sum + rows, 0);
  const ended = OUTCOMES.reduce((sum, outcome) => sum + tally.outcomes[outcome], 0);
  findings.compare(where('states, added up'), tally.rows - ended, unfinished);
  if (summary.state === 'closed') findings.compare(where('rows without an outcome'), 0, tally.rows - ended);
  const { charged, reserved, uncertain } = summary.credits;
  findings.compareCredits(where('credits.charged'), tally.credits.charged, charged);
  // While a batch is open, the summary also reserves credits for later steps, which are on no receipt.
  const known = summary.state === 'closed' ? tally.credits.reserved : Math.max(tally.credits.reserved, reserved);
  findings.compareCredits(where('credits.reserved'), known, reserved);
  findings.compareCredits(where('credits.uncertain'), tally.credits.uncertain, uncertain);
  findings.compareCredits(where('credits.saved'), tally.credits.saved, summary.credits.saved);
  findings.compare(where('credits.damaged'), tally.credits.damaged, summary.credits.damaged);
  findings.compare(where('credits.estimated'), String(tally.credits.estimated), String(summary.credits.estimated));
}
