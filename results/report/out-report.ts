import { join } from 'node:path';
import { REPORT_FILE, type ReportChoice, type ReportHead } from '../../contract/report.ts';
import { messageOf } from '../../contract/message-of.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { KeptTable } from '../redrive/edited-tables.ts';
import type { ReportContext } from './report-facts.ts';
import { removeReport, ReportFile } from './report-file.ts';

/** The report that is wanted in an out folder. */
export interface WantedReport {
  readonly choice: ReportChoice;
  /** What it tells beside the rows; asked for once all rows were read. */
  readonly context: () => Promise<ReportContext>;
}

interface Place {
  readonly out: string;
  readonly voxbatchVersion: string;
  readonly report?: WantedReport | undefined;
}

/** The report that was written, or why there is none though one is wanted. */
export interface OutReportMade {
  /** Path of the report; null if there is none. */
  readonly report: string | null;
  /** Null if there is one, or none is wanted. */
  readonly reportProblem: string | null;
}

/**
 * The report of an out folder while the folder's other files are made; it becomes visible with them. It is not among
 * the files that the summary lists: what is to be done next changes without any row. It never keeps the results from
 * being written: what goes wrong with its file is told by `made`.
 */
export class OutReport {
  readonly #place: Place;
  #file: ReportFile | undefined;
  #problem: string | null = null;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Begins it, if one is wanted. */
  async begin(batch: BatchRecord): Promise<void> {
    const { out, voxbatchVersion, report: wanted } = this.#place;
    if (wanted === undefined || wanted.choice === 'none') return;
    const options = { choice: wanted.choice, hasTexts: true, folder: '', voxbatchVersion };
    await this.#try(async () => {
      this.#file = await ReportFile.create(join(out, REPORT_FILE), batch, options);
    });
  }

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
   * Replaces the earlier report, or removes that of an earlier run if none is wanted. Returns what was kept of a file
   * that is no report.
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
