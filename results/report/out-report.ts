import { join } from 'node:path';
import { REPORT_FILE, type ReportChoice, type ReportHead } from '../../contract/report.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { KeptTable } from '../redrive/edited-tables.ts';
import type { ReportStory } from './report-facts.ts';
import { removeReport, ReportFile } from './report-file.ts';

/** The report that is wanted in an out folder. */
export interface WantedReport {
  readonly choice: ReportChoice;
  /** What it tells beside the rows; asked for once all rows were read. */
  readonly story: () => Promise<ReportStory>;
}

interface Place {
  readonly out: string;
  readonly voxbatchVersion: string;
  readonly report?: WantedReport | undefined;
}

/**
 * The report of an out folder while the folder's other files are made; it becomes visible with them. It is not among the files that
 * the summary lists: what is to be done next changes without any row.
 */
export class OutReport {
  readonly #place: Place;
  #file: ReportFile | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Begins it, if one is wanted. */
  async begin(batch: BatchRecord): Promise<void> {
    const { out, voxbatchVersion, report: wanted } = this.#place;
    if (wanted === undefined || wanted.choice === 'none') return;
    const options = { choice: wanted.choice, hasTexts: true, folder: '', voxbatchVersion };
    this.#file = await ReportFile.create(join(out, REPORT_FILE), batch, options);
  }

  /** Null if there is none. */
  get path(): string | null {
    return this.#file?.path ?? null;
  }

  async add(...row: Parameters<ReportFile['add']>): Promise<void> {
    await this.#file?.add(...row);
  }

  async seal(credits: ReportHead['credits']): Promise<void> {
    const { report: wanted } = this.#place;
    if (wanted !== undefined) await this.#file?.seal(await wanted.story(), credits);
  }

  /** Replaces the earlier report, or removes it if none is wanted. Returns what was kept of a file that is no report. */
  async publish(): Promise<readonly KeptTable[]> {
    const { out, report: wanted } = this.#place;
    if (wanted?.choice === 'none') await removeReport(join(out, REPORT_FILE));
    const kept = await this.#file?.publish();
    return kept === undefined ? [] : [kept];
  }

  async abandon(): Promise<void> {
    await this.#file?.abandon();
  }
}
