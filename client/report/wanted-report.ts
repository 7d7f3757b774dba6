import { relative } from 'node:path';
import { readReportContext, type StatusText } from '../../batches/report/report-context.ts';
import { DEFAULT_REPORT, type ReportChoice } from '../../contract/report.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ReportContext } from '../../results/report/report-facts.ts';
import { batchVoices } from '../voices/batch-voices.ts';
import type { WantedReport } from '../../results/report/out-report.ts';
import { Pace } from '../status/pace.ts';
import { readLiveStatus, type BatchStatus } from '../status/status.ts';
import type { Settings } from '../settings.ts';

/** Texts that the command line and a report share; passed in, because the command line's texts are in `starters/`. */
export interface ReportWords {
  /** The state of a batch in a word or two. `isDeserted`: it certainly has no worker. */
  readonly standing: (batch: BatchStatus['batch'], isDeserted: boolean) => string;
  /** The notes of `status`: what holds a batch up, and what to do. */
  readonly status: (status: BatchStatus) => readonly string[];
}

/** Which report to write with the files of a batch, and its texts. */
export interface Reporting {
  /** Default: see {@link reportChoice}. */
  readonly report?: ReportChoice | undefined;
  /** Default: the report names the command that says what to do. */
  readonly reportWords?: ReportWords | undefined;
}

/** A batch whose report is written, and where its files are. */
interface ReportedBatch {
  readonly ledger: Ledger;
  readonly settings: Settings;
  readonly batch: BatchRecord;
  /** Absolute. */
  readonly out: string;
}

/** Returns which report a batch gets: as recorded with it, otherwise as configured. */
export function reportChoice({ config }: Pick<Settings, 'config'>, batch: BatchRecord): ReportChoice {
  return batch.settings.report ?? config.report ?? DEFAULT_REPORT;
}

/** Returns which report is written among the files of a batch, and how to read its context. */
export function wantedReport(request: ReportedBatch & Reporting): WantedReport {
  const { ledger, settings, batch, report = reportChoice(settings, batch), reportWords } = request;
  return {
    choice: report,
    context: async () => reportContext(ledger, batch, reportWords && (await statusText(request, reportWords))),
  };
}

/** Reads what a report shows of a batch besides its rows. `status`: omitted if the caller has no texts for it. */
export async function reportContext(ledger: Ledger, batch: BatchRecord, status?: StatusText): Promise<ReportContext> {
  const { voices } = await batchVoices(ledger, batch);
  const named = voices.flatMap(({ voice, name }) => (name === null ? [] : [[voice, name] as const]));
  return { ...(await readReportContext(ledger, batch, status)), voiceNames: Object.fromEntries(named) };
}

/** Describes a batch's current state as the command line does. */
export async function statusText(
  { ledger, settings, batch, out }: ReportedBatch,
  words: ReportWords,
): Promise<StatusText> {
  // A report may wait for slow queries, so one ledger serves all of them.
  const slow = (): Promise<Ledger> => Promise.resolve(ledger);
  const status = await readLiveStatus(ledger, settings, batch.name, { pace: new Pace(), slow, out: shownFolder(out) });
  // The batch's files are just being written, so no advice to write them.
  const next = status.next.filter(({ why }) => why !== 'unwritten');
  return {
    standing: words.standing(status.batch, status.isDeserted),
    notes: words.status({ ...status, next }),
  };
}

/**
 * The out folder as the report's commands show it. Others may get the report, so a folder outside of the working folder
 * is shown as the placeholder `FOLDER`.
 */
function shownFolder(out: string): string {
  const below = relative(process.cwd(), out);
  return below === '' || below.startsWith('..') || below.startsWith('/') ? 'FOLDER' : below;
}
