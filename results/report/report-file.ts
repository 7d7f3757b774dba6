import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { REPORT_ELEMENTS, type ReportChoice, type ReportHead } from '../../contract/report.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { NotRegular, openRegular } from '../../inputs/regular-file.ts';
import { absentOnly } from '../files.ts';
import { NotAFile } from '../errors.ts';
import { keepEdited, type KeptTable } from '../redrive/edited-tables.ts';
import type { ResultFields, ScannedRow } from '../result-line.ts';
import { AtomicFile } from '../atomic-file.ts';
import { ReportFacts, type ReportContext } from './report-facts.ts';
import { RowBlocks } from './row-blocks.ts';

/** Which report to write. */
export interface ReportOptions {
  readonly choice: Exclude<ReportChoice, 'none'>;
  /** False: the report has no texts, media or messages of rows (messages of the API may quote a text). */
  readonly hasTexts: boolean;
  /** Path from the report to the out folder, with `/`; empty if it lies there. Null: no file is linked. */
  readonly folder: string | null;
  readonly voxbatchVersion: string;
  /** Who asked for the report. Default: a run, which writes it with its other files. */
  readonly by?: keyof typeof MARKS;
}

/** Marks that distinguish reports from other files, and those that a person asked for from those of a run. */
const MARKS = { run: '<!-- voxbatch report -->', person: '<!-- voxbatch report, made by hand -->' } as const;
const compress = promisify(gzip);

/**
 * Writes the report of a batch: one HTML file with the rows in it, compressed, and the script that shows them. Rows are
 * written as they come. Call `add` for each row, `seal` and `publish`; in any case `abandon`.
 */
export class ReportFile {
  readonly #file: AtomicFile;
  readonly #facts: ReportFacts;
  readonly #blocks: RowBlocks;
  readonly #options: ReportOptions;
  readonly #batch: BatchRecord;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: AtomicFile, batch: BatchRecord, options: ReportOptions) {
    this.#file = file;
    this.#batch = batch;
    this.#options = options;
    const { choice, hasTexts } = options;
    this.#facts = new ReportFacts(batch, hasTexts);
    this.#blocks = new RowBlocks({ choice, hasTexts, rows: batch.rows });
  }

  static async create(path: string, batch: BatchRecord, options: ReportOptions): Promise<ReportFile> {
    const { policy, style } = reportAssets();
    const file = await AtomicFile.create(path);
    await file.write(headHtml({ batch: batch.name, mark: MARKS[options.by ?? 'run'], policy, style }));
    return new ReportFile(file, batch, options);
  }

  get path(): string {
    return this.#file.path;
  }

  /** Adds the next row of the batch. */
  async add(scanned: ScannedRow, fields: ResultFields): Promise<void> {
    this.#facts.add(scanned, fields);
    const block = this.#blocks.add(scanned, fields);
    if (block === undefined) return;
    // While a block is compressed in a thread, the next one is filled.
    await this.#writing;
    this.#writing = this.#write(block);
    this.#writing.catch(() => undefined);
  }

  /** Writes the rest and syncs it to disk. `credits`: the batch's sums in the ledger. */
  async seal(context: ReportContext, credits: ReportHead['credits']): Promise<void> {
    await this.#writing;
    const block = this.#blocks.rest();
    if (block !== undefined) await this.#write(block);
    const { choice, folder, voxbatchVersion: version } = this.#options;
    const listed = { rows: this.#blocks.listed, choice };
    const head = this.#facts.view({ context, credits, listed, folder, version, batch: this.#batch });
    await this.#file.write('</template>\n');
    await this.#file.write(`<template id="${REPORT_ELEMENTS.head}">${await packed(head)}</template>\n`);
    await this.#file.write(`<script>${reportAssets().script}</script>\n</body>\n</html>\n`);
    await this.#file.seal();
  }

  /**
   * Replaces an earlier report. A file under the name that is no report of ours gets another name, which is returned.
   * Throws {@link NotAFile} if the name is that of a folder, a pipe or a device.
   */
  async publish(): Promise<KeptTable | undefined> {
    const { path } = this.#file;
    const kind = await kindOfFile(path);
    if (kind === 'no file') throw new NotAFile(path);
    const kept = kind === 'other' ? await keepEdited(dirname(path), basename(path), new Set()) : undefined;
    await this.#file.publish();
    return kept;
  }

  async abandon(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#file.abandon();
  }

  async #write(block: object): Promise<void> {
    await this.#file.write(`${await packed(block)}\n`);
  }
}

/** Removes the report of an earlier run, because it would show an old state. Keeps any other file under the name. */
export async function removeReport(path: string): Promise<void> {
  if ((await kindOfFile(path)) === 'run') await rm(path, { force: true });
}

/** Returns who asked for the report at a path; `other` for another file; undefined if nothing is there. */
async function kindOfFile(path: string): Promise<keyof typeof MARKS | 'other' | 'no file' | undefined> {
  try {
    return await readMark(await openRegular(path));
  } catch (error) {
    if (error instanceof NotRegular) return 'no file';
    absentOnly(error);
    return undefined;
  }
}

async function readMark(file: FileHandle): Promise<keyof typeof MARKS | 'other'> {
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(100), position: 0 });
    const head = buffer.toString('utf8', 0, bytesRead);
    if (head.includes(MARKS.run)) return 'run';
    return head.includes(MARKS.person) ? 'person' : 'other';
  } finally {
    await file.close();
  }
}

/** Compresses a value into characters that have no meaning in HTML. */
async function packed(value: object): Promise<string> {
  return (await compress(JSON.stringify(value))).toString('base64');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns the start of the HTML file, up to the rows. */
function headHtml({
  batch,
  mark,
  policy,
  style,
}: Readonly<Record<'batch' | 'mark' | 'policy' | 'style', string>>): string {
  const title = batch.replaceAll(/[&<>]/gu, (one) => ENTITIES[one] ?? one);
  return `<!doctype html>
${mark}
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title} – voxbatch report</title>
<style>${style}</style>
</head>
<body><div id="page"><header class="top"><span class="brand">voxbatch</span></header><noscript>This report needs JavaScript, which it has in itself. It loads nothing.</noscript></div>
<template id="${REPORT_ELEMENTS.rows}">
`;
}

/** What runs in the browser, and the content security policy that allows it and nothing else. */
interface ReportAssets {
  readonly script: string;
  readonly style: string;
  /** Content security policy. */
  readonly policy: string;
}

let known: ReportAssets | undefined;

/** Returns the browser's part of the report, as `npm run build` made it; reads it once. */
function reportAssets(): ReportAssets {
  return (known ??= readAssets());
}

function readAssets(): ReportAssets {
  const [script, style] = [readBuilt('report.js'), readBuilt('report.css')];
  if (/<\/(?:script|style)|<!--/iu.test(script + style))
    throw new Error('The script of the report would end its element: build it so that it does not.');
  // Media are beside the report: on a disk (`file:`), or on the server that it came from.
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; media-src 'self' file:; base-uri 'none'; form-action 'none'`;
  return { script, style, policy };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Reads a built file: beside this one in `dist/`, or in `dist/` if this runs from source. */
function readBuilt(name: string): string {
  const places = [`../../page/${name}`, `../../dist/page/${name}`].map((path) => new URL(path, import.meta.url));
  const place = places.find((one) => existsSync(one));
  if (place === undefined) throw new Error(`${name} is missing: npm run build makes it.`);
  return readFileSync(place, 'utf8');
}
