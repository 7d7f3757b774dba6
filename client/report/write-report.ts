import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import { REPORT_FILE, SHARED_REPORT_FILE } from '../../contract/report.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { readFolderState } from '../../results/former-files.ts';
import { statedOwnership } from '../../results/out-owner.ts';
import { ReportFile } from '../../results/report/report-file.ts';
import { namedFilesOf, resultFields } from '../../results/result-line.ts';
import { sweepParts } from '../../results/atomic-file.ts';
import { refuseCleaned } from '../clean/clean.ts';
import { claimOut } from '../results/claim-out.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';
import { voxbatchVersion } from '../version.ts';
import { reportChoice, reportContext, statusText, type ReportWords } from './wanted-report.ts';

/** Which report to write, and where. */
export interface ReportRequest {
  readonly ledger: Ledger;
  readonly settings: Settings;
  readonly batch: BatchRecord;
  /** The file, or a folder for it. Default: a file in the batch's default out folder. */
  readonly file?: string | undefined;
  /** False leaves out the rows' texts and media, for sharing. Default: true. */
  readonly hasTexts?: boolean | undefined;
  readonly words?: ReportWords | undefined;
}

/** A written report. */
export interface WrittenReport {
  readonly batch: string;
  /** The file. Absolute. */
  readonly report: string;
  readonly bytes: number;
  /** True if the batch had not ended. */
  readonly isOpen: boolean;
  /** New name of an existing file that had this name and was no report; null if there was none. */
  readonly kept: string | null;
}

/**
 * Writes the current report of a batch, from the ledger alone. Repeatable at any time, even while the batch runs. A
 * batch without a report gets a full one here. Throws {@link VoxbatchError} (`cleaned`, `unwritable-out`, `taken-out`,
 * `linked-out`), and the disk's errors for a file of the caller's choice.
 */
export async function writeReport(request: ReportRequest): Promise<WrittenReport> {
  const { ledger, settings, batch, words, hasTexts = true } = request;
  refuseCleaned(batch);
  const path = await placeOf(request);
  const out = await outOf(path, request);
  const choice = reportChoice(settings, batch) === 'short' ? 'short' : 'full';
  const folder = relative(dirname(path), out).split(sep).join('/');
  const options = {
    choice,
    hasTexts,
    folder: folder === '' ? '' : `${folder}/`,
    voxbatchVersion: voxbatchVersion(),
    by: 'person',
  } as const;
  const report = await ReportFile.create(path, batch, options);
  try {
    for await (const scanned of ledger.scanRows(batch.name)) {
      const [file] = namedFilesOf(scanned.row, batch);
      await report.add(scanned, resultFields(scanned, batch.name, file?.name ?? ''));
    }
    const status = words && (await statusText({ ledger, settings, batch, out }, words));
    await report.seal(await reportContext(ledger, batch, status), await ledger.money(batch.name));
    const kept = await report.publish();
    const { size: bytes } = await stat(path);
    return { batch: batch.name, report: path, bytes, isOpen: batch.state !== 'closed', kept: kept?.keptAs ?? null };
  } finally {
    await report.abandon();
  }
}

/** Names that reports have in out folders. */
const OWN_NAMES: readonly string[] = [REPORT_FILE, SHARED_REPORT_FILE];

/** Determines the file to write, and creates its folder. */
async function placeOf({ ledger, batch, file, hasTexts = true }: ReportRequest): Promise<string> {
  const name = hasTexts ? REPORT_FILE : SHARED_REPORT_FILE;
  if (file === undefined) {
    const out = resolve(defaultOut(batch.name));
    await claimOut(out, batch, ledger);
    return join(out, name);
  }
  const path = resolve(file);
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) await mkdir(dirname(path), { recursive: true });
  const place = isFolder ? join(path, name) : path;
  const folder = dirname(place);
  await sweepParts(folder, false);
  // In another batch's out folder, a file of this name is that batch's report.
  const ownership = OWN_NAMES.includes(basename(place)) ? await statedOwnership(folder, batch, ledger) : undefined;
  if (ownership?.type === 'taken') throw new VoxbatchError({ type: 'taken-out', out: folder, by: ownership.by });
  return place;
}

/**
 * The out folder whose files the report links to: the report's own folder if that is one, otherwise the default one.
 */
async function outOf(path: string, { ledger, batch }: ReportRequest): Promise<string> {
  const isBeside = (await readFolderState(dirname(path), batch.name, ledger)) !== undefined;
  return isBeside ? dirname(path) : resolve(defaultOut(batch.name));
}
