import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitError } from './exit-error.ts';
import { messageOf } from './settings.ts';

/** Makes the out folder and proves that it can be written, before anything is paid for. */
export async function requireWritableOut(out: string): Promise<void> {
  const probe = join(out, `.writable-${randomUUID()}`);
  try {
    await mkdir(out, { recursive: true });
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new ExitError(
      'usage',
      `The output folder ${out} cannot be written: ${messageOf(error)}. Choose another with --out FOLDER. Nothing was spent.`,
      { cause: error },
    );
  }
}
