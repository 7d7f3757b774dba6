import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ManifestError } from '../../contract/manifest-problems.ts';
import type { RawItem } from '../check-bytes.ts';
import { detectFormat } from '../detect-format.ts';
import { readCsv } from '../read-csv.ts';
import { readJsonl } from '../read-jsonl.ts';
import { openRegular, whyUnreadable } from '../regular-file.ts';

const HEAD_BYTES = 64 * 1024;

type Items = AsyncIterable<readonly RawItem[]>;

/**
 * Runs `use` on the records of a cast, which has the format of a manifest. Of a workbook they are those of its first
 * visible sheet.
 */
export async function withCastItems<T>(path: string, use: (items: Items) => Promise<T>): Promise<T> {
  const place = resolve(path);
  const head = await headOf(place).catch((error: unknown) => {
    throw unreadable(path, whyUnreadable(error));
  });
  const format = detectFormat({ label: path, name: path, what: `the cast ${path}` }, head);
  const file = { path: place };
  switch (format.format) {
    case 'csv':
      return use(readCsv(file, format.delimiter));
    case 'jsonl':
      return use(readJsonl(file));
    case 'xlsx':
      return withSheet(path, place, use);
  }
}

async function withSheet<T>(path: string, place: string, use: (items: Items) => Promise<T>): Promise<T> {
  const [{ spoolWorkbook }, { UnreadableWorkbook }, { readSpooled }] = await Promise.all([
    import('../workbook/spool-workbook.ts'),
    import('../workbook/unreadable.ts'),
    import('../workbook/read-spooled.ts'),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-cast-'));
  try {
    const into = join(folder, 'rows');
    await spoolWorkbook(place, undefined, into).catch((error: unknown) => {
      throw error instanceof UnreadableWorkbook ? unreadable(path, error.message) : error;
    });
    return await use(readSpooled({ path: into }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first bytes of a file, which tell its format. */
async function headOf(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function unreadable(path: string, why: string): ManifestError {
  return new ManifestError(`cannot read the cast ${path}: ${why}. Nothing was spent.`);
}
