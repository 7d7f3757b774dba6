import { join } from 'node:path';
import { REPORT_FILE, type ReportChoice, type ReportHead } from '../../contract/report.ts';
import { messageOf } from '../../contract/message-of.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { KeptTable } from '../redrive/edited-tables.ts';
import type { ReportContext } from './report-facts.ts';
import { removeReport, ReportFile } from './report-file.ts';

/** The report to write into an out folder. */
export interface WantedReport {
  readonly choice: ReportChoice;
  /** Returns what the report shows besides the rows; called once all rows were read. */
  readonly context: () => Promise<ReportContext>;
}

/** What the report needs of the request to write the out folder (`write-out-folder.ts`). */
interface Place {
  readonly out: string;
  readonly voxbatchVersion: string;
  readonly report?: WantedReport | undefined;
}

/** The report that was written, or why it could not be written. */
export interface OutReportMade {
  /** Path of the report; null if there is none. */
  readonly report: string | null;
  /** Null if there is one, or none is wanted. */
  readonly reportProblem: string | null;
}

/**
 * Writes the report of an out folder along with the folder's other files: call `begin`, `add` for each row, `seal`,
 * `publish`, and in any case `abandon`. An error with the report's file never keeps the results from being written; it
 * is in `made`. The summary does not list the report, because its advice on what to do next changes even if no row
 * does.
 */
export class OutReport {
  readonly #place: Place;
  #file: ReportFile | undefined;
  #problem: string | null = null;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Creates the report's file, if a report is wanted. */
  async begin(batch: BatchRecord): Promise<void> {
    const { out, voxbatchVersion, report: wanted } = this.#place;
    if (wanted === undefined || wanted.choice === 'none') return;
    const options = { choice: wanted.choice, hasTexts: true, folder: '', voxbatchVersion };
    await this.#try(async () => {
      this.#file = await ReportFile.create(join(out, REPORT_FILE), batch, options);
    });
  }

  /** What became of the report. */
  get made(): OutReportMade {
    return { report: this.#file?.path ?? null, reportProblem: this.#problem };
  }

  async add(...row: Parameters<ReportFile['add']>): Promise<void> {
    await this.#try(() => this.#file?.add(...row));
  }

  async seal(credits: ReportHead['credits']): Promise<void> {
    const { report: wanted } = this.#place;
    if (wanted === undefined || this.#file === undefined) return;
    const context = await wanted.context();
    await this.#try(() => this.#file?.seal(context, credits));
  }

  /**
   * Replaces the earlier report, or removes that of an earlier run if none is wanted. Returns the file that was kept
   * under another name because it is no report of ours.
   */
  async publish(): Promise<readonly KeptTable[]> {
    const { out, report: wanted } = this.#place;
    let kept: KeptTable | undefined;
    await this.#try(async () => {
      if (wanted?.choice === 'none') await removeReport(join(out, REPORT_FILE));
      kept = await this.#file?.publish();
    });
    return kept === undefined ? [] : [kept];
  }

  async abandon(): Promise<void> {
    await this.#file?.abandon();
  }

  /** Runs a write; after an error, abandons the report and records the problem. */
  async #try(write: () => Promise<void> | undefined): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#problem = messageOf(error);
      await this.#file?.abandon();
      this.#file = undefined;
    }
  }
}
