import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ManifestError } from '../../contract/manifest-problems.ts';
import { messageOf } from '../../contract/message-of.ts';
import type { RawItem } from '../check-bytes.ts';
import { detectFormat } from '../detect-format.ts';
import { readCsv } from '../read-csv.ts';
import { readJsonl } from '../read-jsonl.ts';
import { readRegular } from '../regular-file.ts';

type Items = AsyncIterable<readonly RawItem[]>;

/** Runs `use` on the records of a cast, which has the format of a manifest. Of a workbook they are those of its first visible sheet. */
export async function withCastItems<T>(path: string, use: (items: Items) => Promise<T>): Promise<T> {
  const place = resolve(path);
  const text = await readRegular(place).catch((error: unknown) => {
    throw unreadable(path, messageOf(error));
  });
  const format = detectFormat({ label: path, name: path, what: `the cast ${path}` }, Buffer.from(text));
  const file = { path, text };
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

function unreadable(path: string, why: string): ManifestError {
  return new ManifestError(`cannot read the cast ${path}: ${why}. Nothing was spent.`);
}
