import { messageOf } from '../contract/message-of.ts';
import { createWriteStream, existsSync, createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { shellWord } from '../contract/shell-word.ts';
import { combineDigests, whyUnreadable } from './regular-file.ts';
import { digestOfBytes, type ManifestBytes } from './check-bytes.ts';
import { isGlob, isUrl, labelOfPlace, requireManifestUrl, type FetchManifest } from './manifest-place.ts';
import { ManifestError } from '../contract/manifest-problems.ts';
import type { ManifestFormat } from './detect-format.ts';
import { detectFormat } from './detect-format.ts';
import { RowsInMemory } from './rows-in-memory.ts';

/** A file of a manifest. */
interface ManifestFile extends ManifestBytes {
  /** The file to read: the user's own, or a temporary copy of a stream. */
  readonly path: string;
  /** Its name for messages: the path as given, or `standard input`. */
  readonly label: string;
  readonly format: ManifestFormat;
  /** Base folder of relative paths in it. That of a stream is the working directory. */
  readonly folder: string;
}

/**
 * An open manifest, which can be read several times. It may have several files, such as all matches of `drop/*.csv`,
 * which form one table in sequence. `path` and `format` are those of the first file; `label` is the argument as given.
 */
export interface ManifestSource extends ManifestFile {
  /** At least one. */
  readonly files: readonly ManifestFile[];
  /** The server's ETag; null if it sent none. Absent for files. */
  readonly etag?: string | null;
  /** The rows from the last check, kept in memory until they are loaded. */
  readonly rows: RowsInMemory;
  /** Removes the temporary copy, if there is one. May be called twice. */
  close(): Promise<void>;
}

/** Extensions that the user may have omitted, for a hint. */
const EXTENSIONS = ['.csv', '.tsv', '.jsonl', '.ndjson', '.xlsx'];

/** Bytes by which the format is detected. */
const HEAD_BYTES = 64 * 1024;

/** Returns the sha256 of the bytes of all files, in hex. */
export async function digestOf({ files }: Pick<ManifestSource, 'files'>): Promise<string> {
  const digests: string[] = [];
  for (const file of files) digests.push(await digestOfBytes(file));
  return combineDigests(digests);
}

/** How to open a manifest. */
export interface OpenOptions {
  /** The sheet of a workbook to read. Default: the first that is not hidden. */
  readonly sheet?: string | undefined;
}

/**
 * Opens a manifest: a file, a pattern of files, or `-` for standard input. A stream (standard input, a pipe, a device)
 * is first copied to a temporary file that only its owner may read, since a manifest is read twice: checked, then
 * loaded. So are the rows of an Excel workbook.
 * @throws ManifestError if there is no readable file.
 */
export async function openManifest(
  given: string,
  { sheet }: OpenOptions = {},
  stdin: Readable = process.stdin,
): Promise<ManifestSource> {
  if (given === '-') return await spool({ label: 'standard input', name: '', sheet }, (path) => writeTo(path, stdin));
  try {
    const found = await stat(given).catch((error: unknown) => {
      if (isGlob(given)) return undefined;
      throw error;
    });
    if (found === undefined) return await openFiles(given, await matchesOf(given), sheet);
    if (found.isDirectory())
      throw new ManifestError(`expected a manifest file; ${given} is a folder. Nothing was spent.`);
    if (!found.isFile())
      return await spool({ label: given, name: given, sheet }, (path) => writeTo(path, createReadStream(given)));
    return await openFiles(given, [given], sheet);
  } catch (error) {
    if (error instanceof ManifestError) throw error;
    const why = whyUnreadable(error);
    const words = `cannot read the manifest ${given}: ${why}. Nothing was spent.`;
    // An example is of no use to somebody whose file is there.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new ManifestError(words);
    const meant = EXTENSIONS.map((extension) => `${given}${extension}`).find((path) => existsSync(path));
    const advice =
      meant === undefined ? '"voxbatch init" writes an example of each kind.' : `Did you mean ${shellWord(meant)}?`;
    throw new ManifestError(`${words} ${advice}`, [], {
      given,
      meant,
      why,
    });
  }
}

/**
 * Opens a manifest that will be read again later. It must be a file, a pattern or a URL: a stream can be read only
 * once, and one without a writer would block forever.
 * @throws ManifestError if there is no readable file.
 */
export async function openManifestFile(
  path: string,
  fetchManifest: FetchManifest,
  options: OpenOptions = {},
): Promise<ManifestSource> {
  if (isUrl(path)) return await openUrl(path, fetchManifest, options);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.isFile() || found.isDirectory()) return await openManifest(path, options);
  throw new ManifestError(
    `expected a manifest file, which can be read again later; ${path} is a stream. Nothing was spent.`,
  );
}

/** Downloads a URL to a temporary file, because a manifest is read twice. */
async function openUrl(url: string, fetchManifest: FetchManifest, options: OpenOptions): Promise<ManifestSource> {
  requireManifestUrl(url);
  const label = labelOfPlace(url);
  let etag: string | null = null;
  const failed = (why: string): ManifestError =>
    new ManifestError(`cannot read the manifest ${label}: ${why}. Nothing was spent.`);
  const source = await spool({ label, name: new URL(url).pathname, ...options }, async (path) => {
    const fetched = await fetchManifest(url, (body) => writeTo(path, body));
    if (fetched.type === 'failed') throw failed(fetched.why);
    ({ etag } = fetched);
  }).catch((error: unknown) => {
    // For example a full disk. Any other type of error would make a schedule's firing fetch the manifest over and over.
    throw error instanceof ManifestError ? error : failed(messageOf(error));
  });
  return { ...source, etag };
}

/** Returns the files that match a pattern. Throws `ManifestError` if there are none. */
async function matchesOf(pattern: string): Promise<readonly string[]> {
  const { expandGlob } = await import('./expand-glob.ts');
  // Excel creates a file `~$NAME` beside an open workbook.
  const paths = (await expandGlob(pattern)).filter((path) => !basename(path).startsWith('~$'));
  if (paths.length === 0) throw new ManifestError(`no file matches ${pattern}. Nothing was spent.`);
  return paths;
}

/** Opens all files of a manifest, which must have one format. */
async function openFiles(given: string, paths: readonly string[], sheet: string | undefined): Promise<ManifestSource> {
  const files: ManifestFile[] = [];
  const folders: string[] = [];
  const close = async (): Promise<void> => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const path of paths) {
      const place = { label: path, name: path, sheet, folder: dirname(resolve(path)) };
      const makeFolder = async (): Promise<string> => {
        const folder = await temporaryFolder(path);
        folders.push(folder);
        return folder;
      };
      files.push(await openFile(path, place, makeFolder));
    }
    const other = files.find(({ format }) => format.format !== files[0]?.format.format);
    if (other !== undefined) {
      const expected = `expected files of one format; ${files[0]?.label ?? ''} and ${other.label} are not`;
      throw new ManifestError(`${expected}. Nothing was spent.`);
    }
    return sourceOf(given, files, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Names and place of a file that is to be opened. */
export interface FilePlace extends OpenOptions {
  /** Its name for messages. */
  readonly label: string;
  /** Its file name, whose extension may decide the format. */
  readonly name: string;
  /** Base folder of relative paths in it. */
  readonly folder: string;
}

/** Opens a file. The rows of a workbook are first written to a file in the folder that `makeFolder` creates. */
async function openFile(
  path: string,
  { label, name, folder, sheet }: FilePlace,
  makeFolder: () => Promise<string>,
): Promise<ManifestFile> {
  const format = await detect(path, { label, name });
  if (format.format !== 'xlsx') {
    if (sheet === undefined) return { path, label, format, folder };
    throw new ManifestError(`--sheet needs an Excel workbook (.xlsx); ${label} is none. Nothing was spent.`);
  }
  const into = join(await makeFolder(), 'rows');
  const [{ spoolWorkbook }, { UnreadableWorkbook }] = await Promise.all([
    import('./workbook/spool-workbook.ts'),
    import('./workbook/unreadable.ts'),
  ]);
  await spoolWorkbook(path, sheet, into).catch((error: unknown) => {
    if (!(error instanceof UnreadableWorkbook)) throw error;
    throw new ManifestError(`cannot read the manifest ${label}: ${error.message}. Nothing was spent.`);
  });
  return { path: into, label, format, folder };
}

/** Returns a JSONL manifest that is held in memory. `label`: its name for messages. */
export function manifestOfText(label: string, text: string): ManifestSource {
  return sourceOf(label, [{ path: '', label, format: { format: 'jsonl' }, folder: process.cwd(), text }]);
}

/** Returns a manifest of these files. `close`: removes temporary copies. */
function sourceOf(
  label: string,
  files: readonly ManifestFile[],
  close = (): Promise<void> => Promise.resolve(),
): ManifestSource {
  const [first] = files;
  if (first === undefined) throw new Error('A manifest has a file.');
  return { ...first, label, files, rows: new RowsInMemory(), close };
}

async function writeTo(path: string, stream: Readable): Promise<void> {
  await pipeline(stream, createWriteStream(path, { mode: 0o600 }));
}

/** Creates a temporary folder for the copy of a manifest. */
async function temporaryFolder(label: string): Promise<string> {
  return mkdtemp(join(tmpdir(), 'voxbatch-manifest-')).catch((error: unknown) => {
    const why = messageOf(error);
    throw new ManifestError(
      `cannot keep a copy of ${label}, which is read twice: ${why}. Nothing was spent. ` +
        'Set TMPDIR to a folder that you may write to, or give the manifest as a file.',
    );
  });
}

/** Opens a manifest that `write` copies to a temporary file. */
async function spool(
  place: Omit<FilePlace, 'folder'>,
  write: (path: string) => Promise<void>,
): Promise<ManifestSource> {
  const folder = await temporaryFolder(place.label);
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'manifest');
    await write(path);
    const file = await openFile(path, { ...place, folder: process.cwd() }, () => Promise.resolve(folder));
    return sourceOf(place.label, [file], close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Detects the format of a file. */
async function detect(path: string, place: Pick<FilePlace, 'label' | 'name'>): Promise<ManifestFormat> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return detectFormat(place, buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
